// Package property checks subjects of explore inside Go tests: MustHold runs
// seeds, Check lets rapid draw and shrink schedules, Replay repeats a schedule that
// Check has printed, MustHoldReplay follows the schedule of a replay file.
//
// It is for tests only and a package of its own, so that no command carries
// testing and rapid.
package property

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Check lets rapid draw schedules of up to so many choices; the number of schedules
// is rapid's flag -rapid.checks. It fails the test if a schedule violates a
// property, or if none checked a claimed property. rapid shrinks the schedule. How it fails
// is said as MustHold does, with a call of Replay that repeats the schedule.
func Check(t testing.TB, newSubject func() explore.Subject, choices int) {
	t.Helper()
	r := explore.NewRunner(newSubject(), 0)
	draw := lists(choices)
	var failure *explore.Failure
	var failing []uint16
	exercised := map[string]bool{}
	var claimed []string
	said := quietly(t, func(t testing.TB) {
		rapid.Check(t, func(t *rapid.T) {
			list := draw.Draw(t, "choices")
			c := &indices{list: list}
			res := r.Run(c)
			if res.Truncated {
				t.Fatalf("the run does not end within %d steps; to reproduce: %s", explore.DefaultSteps, call(list[:c.used]))
			}
			for i := range res.Findings {
				f := &res.Findings[i]
				if _, ok := exercised[f.Property]; !ok {
					claimed = append(claimed, f.Property)
				}
				exercised[f.Property] = exercised[f.Property] || f.Verdict != model.Vacuous
				if f.Verdict != model.Violated {
					continue
				}
				// A smaller schedule must fail in the same way as the first one.
				way := f.Failure()
				if failure == nil {
					failure = &way
				}
				if way == *failure {
					// The last one is the smallest: rapid runs it once more.
					failing = slices.Clone(list[:c.used])
					t.Fatalf("%s", way)
				}
			}
		})
	})
	switch {
	case failure != nil:
		t.Fatalf("%s", tellRun(newSubject, failing, *failure))
	case said != "":
		t.Fatalf("%s", said)
	}
	for _, name := range claimed {
		if !exercised[name] {
			t.Errorf("%s: vacuous, no schedule checked it", name)
		}
	}
}

// tellRun says how a drawn schedule fails.
func tellRun(newSubject func() explore.Subject, list []uint16, f explore.Failure) string {
	runner := explore.NewRunner(newSubject(), 0)
	rec, _ := recording.Record(runner, &indices{list: list})
	// The file of a run names where its choices came from.
	rec.Strategy = "rapid"
	return told(newSubject, rec, f, call(list))
}

// told says how a recorded run fails, and the call that repeats it if there is one.
func told(newSubject func() explore.Subject, rec *recording.Recording, f explore.Failure, call string) string {
	if teller != nil {
		if text, ok := teller.Run(newSubject, rec, f, call); ok {
			return text
		}
	}
	text := f.String() + " is violated:\n" + story(rec)
	if call != "" {
		text += "to reproduce: " + call
	}
	return text
}

// Replay repeats a schedule that Check has found, and fails the test if it
// violates a property.
func Replay(t testing.TB, newSubject func() explore.Subject, choices ...uint16) {
	t.Helper()
	rec, res := recording.Record(explore.NewRunner(newSubject(), 0), &indices{list: choices})
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Verdict == model.Violated {
			t.Errorf("%s is violated:\n%s", f.Failure(), story(rec))
		}
	}
}

// MustHoldReplay follows the run in a replay file as far as the subject takes its choices, as a regression test does
// once what it shows is mended. It fails the test if that run violates a property, or does not check any more what the
// file says was violated.
func MustHoldReplay(t testing.TB, newSubject func() explore.Subject, path string) {
	t.Helper()
	was, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	follower, err := recording.NewFollower(was)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	rec, res := recording.Record(explore.NewRunner(newSubject(), max(explore.DefaultSteps, 2*was.Steps())), follower)
	taken, all := follower.Followed()
	checked := map[string]bool{}
	for i := range res.Findings {
		f := &res.Findings[i]
		checked[f.Property] = f.Verdict == model.Holds || f.Verdict == model.Violated
		if f.Verdict == model.Violated {
			t.Errorf("%s", told(newSubject, rec, f.Failure(), ""))
		}
	}
	for _, f := range was.Violations() {
		if !checked[f.Property] {
			t.Errorf("%s: %s is not checked any more in a run that follows %d of %d recorded choices: record it anew", path, f.Property, taken, all)
		}
	}
	if res.Truncated {
		t.Errorf("%s: the run was cut off after %d choices", path, len(rec.Choices))
	}
}

// lists draws lists of up to so many choices. rapid makes short slices (about five
// entries) unless a minimum forces it, and a slice does not shrink below its
// minimum. So a list is made of slices of slices: it is long enough, and rapid
// takes away whole parts of it at once.
func lists(longest int) *rapid.Generator[[]uint16] {
	const largest = 1<<10 - 1 // more options than any choice has
	part := rapid.SliceOf(rapid.SliceOf(rapid.SliceOf(rapid.Uint16Range(0, largest))))
	return rapid.Map(part, func(parts [][][]uint16) []uint16 {
		list := make([]uint16, 0, longest)
		for _, part := range parts {
			for _, choices := range part {
				list = append(list, choices[:min(len(choices), longest-len(list))]...)
			}
		}
		return list
	})
}

func call(list []uint16) string {
	var b strings.Builder
	b.WriteString("property.Replay(t, newSubject")
	for _, n := range list {
		b.WriteString(", " + strconv.Itoa(int(n)))
	}
	return b.String() + ")"
}

// indices is a chooser that takes its choices from a list of numbers, each modulo
// the number of options. A number says how far to go from explore.DefaultChoice,
// or from the first answer to a question. Where there is only one option it takes
// no number. After the end of the list all choices are the default, so a shorter
// list with smaller numbers is a simpler run.
type indices struct {
	list []uint16
	used int
}

func (c *indices) Pick(_ *sim.World, enabled []sim.Action) int {
	return (explore.DefaultChoice(enabled) + c.next(len(enabled))) % len(enabled)
}

func (c *indices) Choose(_ *sim.World, n int, _ string) int { return c.next(n) }

func (c *indices) next(n int) int {
	if n == 1 || c.used == len(c.list) {
		return 0
	}
	c.used++
	return int(c.list[c.used-1]) % n
}

// quiet is a test whose messages are kept and not printed: what rapid prints of a failure
// is the list of the numbers that it drew, in several ways.
type quiet struct {
	testing.TB
	text   strings.Builder
	failed bool
}

func (q *quiet) Helper()             {}
func (q *quiet) Failed() bool        { return q.failed }
func (q *quiet) Fail()               { q.failed = true }
func (q *quiet) FailNow()            { q.failed = true; runtime.Goexit() }
func (q *quiet) Log(...any)          {}
func (q *quiet) Logf(string, ...any) {}
func (q *quiet) Error(args ...any)   { q.failed = true; fmt.Fprintln(&q.text, args...) }
func (q *quiet) Errorf(format string, args ...any) {
	q.failed = true
	fmt.Fprintf(&q.text, format+"\n", args...)
}
func (q *quiet) Fatal(args ...any)                 { q.Error(args...); q.FailNow() }
func (q *quiet) Fatalf(format string, args ...any) { q.Errorf(format, args...); q.FailNow() }

// quietly runs a check, and returns what it has to say if it fails.
func quietly(t testing.TB, check func(testing.TB)) string {
	q := &quiet{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(q)
	}()
	<-done
	if !q.failed {
		return ""
	}
	return q.text.String()
}
