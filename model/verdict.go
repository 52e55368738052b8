package model

import (
	"fmt"
	"slices"
)

// Verdict is the answer to "does this property hold?". The four are never
// folded into one another: a property that nothing exercised did not hold, and
// a checker that gave up found nothing out.
type Verdict uint8

// Holds: it was exercised and nothing was wrong. Violated: a counterexample is
// at hand. VerdictUnknown: a checker's budget ran out, or an outcome is unknown.
// Vacuous: it was claimed and never exercised.
const (
	Vacuous Verdict = iota
	Holds
	VerdictUnknown
	Violated
)

var verdictNames = [...]string{"vacuous", "holds", "unknown", "violated"}

func (v Verdict) String() string { return verdictNames[v] }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Verdict) UnmarshalText(name []byte) error {
	i := slices.Index(verdictNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("unknown verdict %q", name)
	}
	*v = Verdict(i)
	return nil
}

// And joins the verdicts of one property over several runs: a violation stays
// one, an unknown run leaves the whole unknown, and what was exercised once
// is not vacuous.
func (v Verdict) And(w Verdict) Verdict { return max(v, w) }

// Worst joins the verdicts of several properties: a violation decides, then what is unknown, then what was never
// exercised. That of none is vacuous.
func Worst(all ...Verdict) Verdict {
	for _, bad := range []Verdict{Violated, VerdictUnknown, Vacuous} {
		if slices.Contains(all, bad) {
			return bad
		}
	}
	if len(all) == 0 {
		return Vacuous
	}
	return Holds
}
