package explore

import (
	"fmt"
	"runtime"
	"slices"
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
