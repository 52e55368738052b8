package etcdtest

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing/synctest"

	"github.com/watchbed/watchbed/sim"
)

// host runs the test: `go test`, or `simrun test`, which is exact: the trial that begins decides what Go leaves open, too.
var host = testHost{
	command: "go test",
	begin:   func(trial, string) {}, isFull: func() bool { return false }, turn: func() int { return 0 }, passed: func() string { return "" },
}

type testHost struct {
	exact bool
	// command runs a test.
	command string
	// begin begins a trial; alone is the command that runs it alone.
	begin func(of trial, alone string)
	// isFull reports that the memory has no room for more schedules.
	isFull func() bool
	// turn is how many turns goroutines have had, passed those that they passed.
	turn   func() int
	passed func() string
}

// settleSometimes waits until all other goroutines wait, or does not: then what comes at the same time is under way in
// several. How often is drawn, as the order of goroutines is.
func (t trial) settleSometimes() func() {
	draw := rand.New(rand.NewPCG(t.seed+t.order, t.variant))
	waits := draw.IntN(3)
	return func() {
		if draw.IntN(2) < waits {
			synctest.Wait()
		} else {
			runtime.Gosched()
		}
	}
}

// passedTurn is a turn of a goroutine that it passed.
type passedTurn struct {
	// turn is its name, at how many turns all goroutines had before.
	turn string
	at   int
	// by is the goroutine, to the one that went instead; empty if it let all others go first.
	by, to string
}

func (p *passedTurn) String() string {
	return p.by + " waits, " + cmp.Or(p.to, "all others") + " first"
}

// passedTurns are those of the schedule that was the last.
func passedTurns() (all []passedTurn) {
	for line := range strings.Lines(host.passed()) {
		var parts [6]string
		copy(parts[:], strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		if at, err := strconv.Atoi(parts[1]); err == nil {
			all = append(all, passedTurn{parts[0], at, goroutineName(parts[2], parts[3]), goroutineName(parts[4], parts[5])})
		}
	}
	return all
}

// started are the names of the goroutines of T.Go, in the order in which they began.
var started []string

func nameGoroutine(name string) {
	if host.exact {
		started = append(started, name)
	}
}

// goroutineName names a goroutine by the function that it began with, and how many its go statement began before.
func goroutineName(function, ordinal string) string {
	if n, err := strconv.Atoi(ordinal); err == nil && strings.HasPrefix(function, ofGo) && n < len(started) {
		return started[n]
	}
	switch {
	case strings.HasPrefix(function, "google.golang.org/grpc"):
		return "gRPC"
	case strings.HasPrefix(function, "go.etcd.io/etcd/client"):
		return "clientv3"
	}
	return function[strings.LastIndex(function, "/")+1:]
}

// ofGo is how the functions of goroutines of T.Go begin.
const ofGo = "github.com/watchbed/watchbed/etcdtest.(*T).Go."

// How many schedules the search for a better order takes at most, and how many passed turns are told.
const (
	orderTries = 300
	mostTurns  = 20
)

// shrinkOrder looks for a schedule that fails like another one, and in which goroutines run first come, first served but
// for few turns that they pass.
func shrinkOrder(run func(trial) *outcome, o *outcome) *outcome {
	tries, least := orderTries, o
	fails := func(turns []passedTurn) bool {
		if tries--; tries < 0 {
			return false
		}
		with := o.trial
		with.turns = []string{}
		for _, p := range turns {
			with.turns = append(with.turns, p.turn)
		}
		less := run(with)
		if !o.like(less) {
			return false
		}
		least = less
		return true
	}
	if fails(nil) {
		return least
	}
	if !fails(o.passed) {
		return o
	}
	// What comes late has no part in it, as a rule.
	for from, to := 0, len(least.passed); from < to && tries > 0; {
		if half := (from + to) / 2; fails(o.passed[:half]) {
			to = half
		} else {
			from = half + 1
		}
	}
	for size := len(least.passed) / 2; size > 0 && tries > 0; size /= 2 {
		for at := len(least.passed) - size; at >= 0 && tries > 0; at = min(at, len(least.passed)) - size {
			fails(slices.Delete(slices.Clone(least.passed), at, at+size))
		}
	}
	if len(least.passed) > mostTurns {
		return o
	}
	return least
}

// outOfOrder says how many turns goroutines pass in a trial.
func (t trial) outOfOrder() string {
	switch {
	case t.turns == nil:
		return ""
	case len(t.turns) == 0:
		return ", and with goroutines that run first come, first served"
	}
	return ", and with goroutines that run first come, first served but for " + sim.Some(len(t.turns), "turn") + " that they pass"
}
