package property

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
)

// Check lets rapid draw schedules of up to so many choices; the number of schedules
// is rapid's flag -rapid.checks. It fails the test if a schedule violates a
// property, or if none checked a claimed property. rapid shrinks the schedule, and
// the message has a call of Replay that repeats it.
func Check(t testing.TB, newSubject func() explore.Subject, choices int) {
	t.Helper()
	r := explore.NewRunner(newSubject(), 0)
	draw := lists(choices)
	var failure *explore.Failure
	exercised := map[string]bool{}
	var claimed []string
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
				t.Fatalf("%s; to reproduce: %s", describe(f), call(list[:c.used]))
			}
		}
	})
	for _, name := range claimed {
		if !exercised[name] {
			t.Errorf("%s: vacuous, no schedule checked it", name)
		}
	}
}

// Replay repeats a schedule that Check has found, and fails the test if it
// violates a property.
func Replay(t testing.TB, newSubject func() explore.Subject, choices ...uint16) {
	t.Helper()
	rec, res := recording.Record(explore.NewRunner(newSubject(), 0), &indices{list: choices})
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Verdict == model.Violated {
			t.Errorf("%s:\n%s", describe(f), story(rec))
		}
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

func describe(f *explore.Finding) string {
	s := f.Failure().String() + " is violated"
	if f.Why != nil {
		s += ": " + f.Why.String()
	}
	return s
}

func call(list []uint16) string {
	var b strings.Builder
	b.WriteString("property.Replay(t, newSubject")
	for _, n := range list {
		b.WriteString(", " + strconv.Itoa(int(n)))
	}
	return b.String() + ")"
}
