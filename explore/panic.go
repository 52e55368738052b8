package explore

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/watchbed/watchbed/model"
)

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

// The longest label, in bytes, and how many functions an explanation names.
const (
	maxLabel  = 60
	maxFrames = 6
)

// newPanicked describes a panic that was just recovered. It names functions and lines,
// and no addresses: the same run gives the same text.
func newPanicked(value any) *panicked {
	p := &panicked{value: value}
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	// What comes before runtime.gopanic is the recovery itself, and the Runner called the
	// simulated code.
	panics := false
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		switch {
		case name == "runtime.gopanic":
			panics = true
		case panics && strings.HasPrefix(name, "explore.(*Runner)"):
			more = false
		case panics && !strings.HasPrefix(name, "runtime.") && len(p.stack) < maxFrames:
			p.stack = append(p.stack, fmt.Sprintf("%s:%d", name, f.Line))
		}
		if !more {
			return p
		}
	}
}

// simulating reports, while a panic goes up, whether it came out of a step of the
// world and not out of the subject's own code.
func simulating() bool {
	pc := make([]uintptr, 1024)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	panics := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panics = true
		case panics && (strings.HasSuffix(f.Function, "sim.(*World).Do") || strings.HasSuffix(f.Function, "sim.(*World).Start")):
			return true
		}
		if !more {
			return false
		}
	}
}

func (p *panicked) String() string {
	return fmt.Sprintf("simulated code panicked: %v (%s)", p.value, strings.Join(p.stack, ", called by "))
}

// finding is the one of a run that ended with the panic.
func (p *panicked) finding() Finding {
	// A label goes into file names and recordings: one line of plain text.
	label := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, fmt.Sprint(p.value))
	return Finding{
		Property: NoPanic, Verdict: model.Violated, Exercised: 1,
		Label: strings.TrimSpace(label[:min(len(label), maxLabel)]), Why: p,
	}
}
