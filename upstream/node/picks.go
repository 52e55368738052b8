package node

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/engine"
)

// Step is what goes on while a guest runs one step of its node. It is the part of an engine.Host that decides.
type Step struct {
	Env *sim.Env
	// Ran are the goroutines that were noted, in order.
	Ran []engine.Goroutine
	// locks: goroutines may give way where they take a lock.
	locks bool
	name  func(engine.Goroutine) string
	// asked counts the questions.
	asked int
}

// mostQuestions is how many questions one step may ask: a guest that asks more spins.
const mostQuestions = 100_000

// Begin begins a step. name is what goroutines are called in recordings.
func (s *Step) Begin(env *sim.Env, locks bool, name func(engine.Goroutine) string) {
	*s = Step{Env: env, Ran: s.Ran[:0], locks: locks, name: name}
}

// Among is the place of the goroutine that runs next. Each in turn is a question of its own, so that a recording names
// those that were passed over. The first that is not passed over runs.
func (s *Step) Among(runnable []engine.Goroutine) int {
	last := len(runnable) - 1
	for i, g := range runnable[:last] {
		if s.ask(2, passesOver+s.name(g)) == 0 {
			return i
		}
	}
	return last
}

// Late asks whether goroutines that can run are late in this step.
func (s *Step) Late() bool { return s.ask(2, late) == 1 }

// Reach asks after how many goroutines, of n answers, the others are late.
func (s *Step) Reach(n int) int { return s.ask(n, "how many goroutines run before the others") }

// Note notes a goroutine that runs, if the run is observed.
func (s *Step) Note(g engine.Goroutine) {
	if s.Env.Noting() {
		s.Ran = append(s.Ran, g)
	}
}

// Select implements engine.Host.
func (s *Step) Select(g engine.Goroutine, cases int) int { return s.ask(cases, selects+s.name(g)) }

// Lock implements engine.Host.
func (s *Step) Lock(g engine.Goroutine) bool {
	return s.locks && s.ask(2, yields+s.name(g)) == 1
}

// How questions begin that are about what runs next.
const (
	passesOver = "pass over "
	selects    = "select in "
	yields     = "yield at a lock in "
	late       = "goroutines are late"
)

// Told is how a story tells that a guest was answered a question otherwise than a plain scheduler answers it: what
// happens, and to which goroutine. It is empty for other questions.
func Told(question string) (text, goroutine string) {
	for _, c := range []struct{ begins, text string }{{passesOver, "passes over "}, {selects, "takes another case of a select in "}, {yields, "gives way at a lock in "}} {
		if g, is := strings.CutPrefix(question, c.begins); is {
			return c.text, Plain(g)
		}
	}
	if question == late {
		return "goroutines that can run are late", ""
	}
	return "", ""
}

var (
	// made are the parts of a symbol that are not in the source.
	made   = regexp.MustCompile(`#\d+|\.gowrap\d+|\.func\d+(\.\d+)*|\[\.\.\.\]|-range\d+|\.deferwrap\d+`)
	method = regexp.MustCompile(`^\w+\.\(\*(\w+)\)`)
)

// Plain is a function as a person calls it: EtcdServer.start, for etcdserver.(*EtcdServer).start.gowrap1#0.
func Plain(function string) string {
	return method.ReplaceAllString(made.ReplaceAllString(function, ""), "$1")
}

func (s *Step) ask(options int, what string) int {
	s.asked++
	if s.asked > mostQuestions {
		panic(fmt.Sprintf("the guest spins: %d choices in one step, the last one of %s", mostQuestions, what))
	}
	return s.Env.Choose(options, what)
}

// ByFunction is the name of a goroutine by where it began, and how many were created there before.
func ByFunction(g engine.Goroutine) string { return fmt.Sprintf("%s#%d", short(g.Function), g.Ordinal) }

// short is a function without the path of its package.
func short(function string) string { return function[strings.LastIndex(function, "/")+1:] }
