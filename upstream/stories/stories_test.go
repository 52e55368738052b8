package stories

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// told is a bed whose events have these lines, in their order.
type told struct {
	Bed
	lines []Line
}

func (b *told) Line(*sim.World, *sim.Event) Line {
	l := b.lines[0]
	b.lines = b.lines[1:]
	return l
}

// story is that of steps with these lines.
func story(steps ...[]Line) []string {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	a := w.Add("a", sim.Idle{})
	t := newTeller(nil)
	for _, lines := range steps {
		kind := sim.Acted
		for _, l := range lines {
			t.bed = &told{lines: []Line{l}}
			t.Observe(w, &sim.Event{Kind: kind, Node: a})
			kind = sim.Noted
		}
	}
	return t.story()
}

// TestStoryFolds: what a node says of several objects in a step is one line, which names some of them.
func TestStoryFolds(t *testing.T) {
	var many []Line
	for _, o := range []string{"1", "2", "3", "3", "4", "5", "6"} {
		many = append(many, Line{Text: "passes over ", Object: o})
	}
	require.Equal(t, []string{"  0.000 s  a          passes over 1, 2, 3, 4 and 2 others"}, story(many))
	require.Equal(t, []string{"  0.000 s  a          passes over 1", "  0.000 s  a          passes over 2"}, story(many[:1], many[1:2]), "two steps")
}

// TestStoryLeavesOutWhatIsNotAnswered: a question stays if it is answered, or if it is the last one.
func TestStoryLeavesOutWhatIsNotAnswered(t *testing.T) {
	ask := func(n string) []Line { return []Line{{Text: "asks " + n, Asks: true}} }
	require.Equal(t, []string{"  0.000 s  a          asks 2", "  0.000 s  a          is told", "  0.000 s  a          asks 4"},
		story(ask("1"), ask("2"), []Line{{Text: "is told", Answers: 1}}, ask("3"), ask("4")))
}

// TestStoryTellsOfFewAsides: steps that have nothing but what is aside are told where there are few of them.
func TestStoryTellsOfFewAsides(t *testing.T) {
	aside := []Line{{Text: "aside", Aside: true}}
	var steps [][]Line
	for range mostAlone {
		steps = append(steps, aside)
	}
	require.Len(t, story(steps...), mostAlone)
	require.Empty(t, story(append(steps, aside)...))
	require.Len(t, story(append(steps, aside, []Line{aside[0], {Text: "else"}})...), 2)
}
