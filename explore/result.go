package explore

import (
	"fmt"
	"strconv"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Result is what one run came to.
type Result struct {
	TraceHash Hash
	Stats     sim.Stats
	// Steps is the number of actions.
	Steps int
	// Findings has an entry for each claimed property. It is valid until the
	// next run.
	Findings []Finding
	// Truncated: the run was cut off before it was over. Its violations are
	// real; a property that held until then is unknown.
	Truncated bool
	// NeverReady: the subject says so (see Recovering).
	NeverReady bool
	// NeverAtRest: the subject says so (see Resting).
	NeverAtRest bool
}

// Find returns the finding that says that the run failed in this way, nil if
// it did not.
func (r *Result) Find(f Failure) *Finding {
	for i := range r.Findings {
		if v := &r.Findings[i]; v.Verdict == model.Violated && v.Failure() == f {
			return v
		}
	}
	return nil
}

// Verdict is that on a property, vacuous if the run has none.
func (r *Result) Verdict(property string) model.Verdict {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Property == property {
			return f.Verdict
		}
	}
	return model.Vacuous
}

// Hash covers every action, choice and message of a run with its payload, or of
// many runs. It is written as 16 hexadecimal digits: many readers of JSON do not
// keep 64 bits of a number.
type Hash uint64

func (h Hash) String() string               { return fmt.Sprintf("%016x", uint64(h)) }
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return fmt.Errorf("a trace hash has 16 hexadecimal digits, not %.40q", b)
	}
	*h = Hash(n)
	return nil
}
