package explore

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Finding is what one run showed about one property.
type Finding struct {
	Property string
	Verdict  model.Verdict
	// Exercised is how often the run checked the property. A property that was
	// never checked cannot hold; it is vacuous.
	Exercised int
	// By says who judged it, NotAHistory where no history was judged.
	By JudgedBy
	// Label is the cause of a violation in few words. With the property it says
	// what "fails the same way" means.
	Label string
	// Why explains a violation. It is valid until the next run begins, and is
	// rendered only on demand; nil if there is nothing to say. It may implement
	// Concerned.
	Why fmt.Stringer
}

// JudgedBy says who gave the verdict on a history.
type JudgedBy uint8

// The judges of a history. Porcupine judges beside the witness where that is affordable.
const (
	NotAHistory JudgedBy = iota
	WitnessAlone
	Porcupine
)

// Disputed is what the judging of a run panics with if two checkers give different verdicts on its history: one of them
// is wrong, so that the run has no verdict.
type Disputed struct {
	Err     error
	History *model.History
}

func (d *Disputed) Error() string { return d.Err.Error() }

// Settled is what f returns, or the *Disputed that it panics with.
func Settled(f func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Disputed:
			err = v
		default:
			panic(v)
		}
	}()
	return f()
}

// Failure is the way in which this finding's property is violated.
func (f *Finding) Failure() Failure { return Failure{f.Property, f.Label} }

// Failure is a way to fail: two runs with equal failures fail the same way.
type Failure struct {
	Property, Label string
}

func (f Failure) String() string {
	if f.Label == "" {
		return f.Property
	}
	return f.Property + " (" + f.Label + ")"
}

// Concern says what an explanation is about, so that a story need not read its
// text. Each field may be empty: an explanation names what it knows.
type Concern struct {
	// Node is the name of the node that is wrong: a cache, an informer.
	Node string
	// Client is the name of the client that was answered wrongly, or too late.
	Client string
	// Call is the tick of the history at which that client asked; 0 is none.
	Call int64
	// Began is when the node began what did not end well, in a timed run; 0 is not
	// known.
	Began sim.Time
	// Revision is that of the change which is not shown, or is shown wrongly; 0 is
	// none.
	Revision int64
	// Compaction is the revision of the compaction that makes the answer wrong; 0 is
	// none.
	Compaction int64
	// Key is that of the object which is not shown, or is shown wrongly.
	Key string
}

// Concerned is implemented by an explanation (Finding.Why) that can say what it
// is about.
type Concerned interface {
	Concern() Concern
}

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

func (h *Hash) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return fmt.Errorf("a trace hash has 16 hexadecimal digits, not %.40q", b)
	}
	*h = Hash(n)
	return nil
}

// NoPanic is the name of the property that a run violates in which simulated code
// panics. It has a finding in such a run only: nothing else is judged then, because
// the panic has left the world in the middle of a step.
const NoPanic = "no-panic"

// panicked is a panic in simulated code, with the functions that were under way, the
// innermost first.
type panicked struct {
	value any
	stack []string
}

// Ended is what simulated code panics with if a program that it runs has panicked, a member of a cluster for example.
// Its text says all, and the functions that run the program say nothing.
type Ended interface {
	error
	// Message is what the program panics with.
	Message() string
}

// The longest label, in bytes, and how many functions an explanation names.
const (
	maxLabel  = 60
	maxFrames = 6
)

// steps are the functions by which the world runs simulated code.
var steps = []string{"sim.(*World).Do", "sim.(*World).Start"}

// Panicked carries out f, and returns the finding of a panic in simulated code that ended it, nil if
// there was none. A panic in the subject's own code goes on to the caller.
func Panicked(f func()) (found *Finding) {
	over := false
	defer func() {
		// The stack says whose panic it is: a flag would cost something in each step.
		if over {
			return
		}
		if stack, ok := simulatedStack(); ok {
			ended := (&panicked{recover(), stack}).finding()
			found = &ended
		}
	}()
	f()
	over = true
	return nil
}

// simulatedStack lists, while a panic goes up, the functions of simulated code that
// were under way, the innermost first. It returns false if the panic came out of the
// subject's own code. It names functions and lines, and no addresses: the same run
// gives the same text.
func simulatedStack() (stack []string, ok bool) {
	pc := make([]uintptr, 1024)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	// What comes before runtime.gopanic is the recovery itself.
	panics := false
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		if panics && !strings.HasPrefix(name, "runtime.") && len(stack) < maxFrames {
			stack = append(stack, fmt.Sprintf("%s:%d", name, f.Line))
		}
		switch {
		case panics && slices.Contains(steps, name):
			return stack, true
		case !more:
			return nil, false
		}
		panics = panics || name == "runtime.gopanic"
	}
}

// OfProgram reports whether an explanation of NoPanic is about a program that was simulated.
func OfProgram(why fmt.Stringer) bool {
	p, ok := why.(*panicked)
	if !ok {
		return false
	}
	_, ended := p.value.(Ended)
	return ended
}

func (p *panicked) String() string {
	if e, ended := p.value.(Ended); ended {
		return e.Error()
	}
	return fmt.Sprintf("simulated code panicked: %v (%s)", p.value, strings.Join(p.stack, ", called by "))
}

// finding is the one of a run that ended with the panic.
func (p *panicked) finding() Finding {
	value := p.value
	if e, ended := p.value.(Ended); ended {
		value = e.Message()
	}
	// A label goes into file names and recordings: one line of plain text.
	label := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, fmt.Sprint(value))
	return Finding{
		Property: NoPanic, Verdict: model.Violated, Exercised: 1,
		Label: strings.TrimSpace(label[:min(len(label), maxLabel)]), Why: p,
	}
}
