package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/trace"
)

// besideRun is the comparison of a committed recording with the nearest run that passes.
func besideRun(t *testing.T, d *diagnosis.Diagnosis) (b *beside, fails, passes *trace.States) {
	t.Helper()
	fails, err := trace.StatesOf(d.Scenario(), d.Recording)
	require.NoError(t, err)
	nearest, err := d.Nearest()
	require.NoError(t, err)
	passes, err = trace.StatesOf(d.Scenario(), nearest.Recording)
	require.NoError(t, err)
	b, err = besideOf(d, stepsOf(d.Story, fails), around(d.Story.Run, d.Story.Lines))
	require.NoError(t, err)
	require.NotEmpty(t, b.Rows)
	return b, fails, passes
}

// TestEachSideHasItsRun: what only the run that passes says stands on its side, under its
// name.
func TestEachSideHasItsRun(t *testing.T) {
	_, page, found := strings.Cut(pageOf(t, told(t, "bug-issue-15220")), `<div class="beside">`)
	require.True(t, found)
	var left, right strings.Builder
	for _, row := range strings.Split(page, `<div class="side fails">`)[1:] {
		fails, passes, found := strings.Cut(row, `<div class="side passes">`)
		require.True(t, found)
		passes, _, _ = strings.Cut(passes, `<div class="both">`)
		passes, _, _ = strings.Cut(passes, "<h2>")
		left.WriteString(fails)
		right.WriteString(passes)
	}
	for _, said := range []string{"This run", "is answered by recvLoop itself", "takes progress"} {
		require.Contains(t, left.String(), said)
		require.NotContains(t, right.String(), said)
	}
	for _, said := range []string{"With progress=dropped", "and is dropped"} {
		require.Contains(t, right.String(), said)
		require.NotContains(t, left.String(), said)
	}
}

// TestBesideAStepIsWhatItChanged: and nothing else, on both sides.
func TestBesideAStepIsWhatItChanged(t *testing.T) {
	d := told(t, "bug-issue-15220")
	b, fails, passes := besideRun(t, d)
	changes := func(s *trace.States, row *besideStep) int {
		if row == nil {
			return 0
		}
		step := stepNumbered(t, s, row.When)
		count := 0
		for part := range s.Parts {
			if s.Changed(step-1, step, part) {
				count++
			}
		}
		shown := 0
		for _, n := range row.Holds {
			shown += len(n.Parts)
		}
		require.Equal(t, count, shown, row.When)
		return shown
	}
	total := 0
	for _, row := range b.Rows {
		total += changes(fails, row.Fails) + changes(passes, row.Passes)
	}
	require.NotZero(t, total)
}

// stepNumbered is the step of a run that is not timed, counted from 0.
func stepNumbered(t *testing.T, s *trace.States, when string) int {
	t.Helper()
	d := &steps{trace: s.Trace}
	for i := range s.Trace.Steps {
		if d.when(i) == when {
			return i
		}
	}
	t.Fatalf("there is no step %s", when)
	return 0
}

// TestWhatOneRunAloneHasIsMarked: a step without a counterpart, and one of which other
// things come.
func TestWhatOneRunAloneHasIsMarked(t *testing.T) {
	d := told(t, "bug-issue-15220")
	b, _, _ := besideRun(t, d)
	text := func(s *besideStep) (all []string) {
		for _, x := range s.Says {
			all = append(all, x.Node+" "+x.Text)
		}
		return all
	}
	marks := 0
	for _, row := range b.Rows {
		switch {
		case row.Fails == nil:
			require.True(t, row.Passes.Only)
			marks++
		case row.Passes == nil:
			require.True(t, row.Fails.Only)
			marks++
		default:
			differ := strings.Join(text(row.Fails), "\n") != strings.Join(text(row.Passes), "\n")
			require.Equal(t, differ, row.Fails.Only, row.Fails.When)
			require.Equal(t, differ, row.Passes.Only, row.Passes.When)
			if differ {
				marks += 2
			}
		}
	}
	require.NotZero(t, marks)
	var page bytes.Buffer
	for _, row := range b.Rows {
		for _, side := range []*besideStep{row.Fails, row.Passes} {
			require.NoError(t, runTemplate.ExecuteTemplate(&page, "side", side))
		}
	}
	require.Equal(t, marks, strings.Count(page.String(), ` only">`))
}

// TestTheRunsAreComparedFromWhereTheyPartToTheAnswer: so many steps are the same as is
// said, the next one is not, and the run that passes is not followed to its end.
func TestTheRunsAreComparedFromWhereTheyPartToTheAnswer(t *testing.T) {
	for _, name := range []string{"bug-issue-15220", "issue-15220", "bug-kubernetes-59848"} {
		d := told(t, name)
		b, fails, passes := besideRun(t, d)
		says := func(s *trace.States, i int) string {
			if i >= len(s.Trace.Steps) {
				return ""
			}
			text := s.Trace.Steps[i].Name
			for _, n := range s.Trace.Steps[i].Notes {
				text += "\n" + n.Text
			}
			return text
		}
		same := 0
		for says(fails, same) == says(passes, same) {
			same++
		}
		require.Equal(t, same, b.Same, name)
		last := b.Rows[len(b.Rows)-1]
		if last.Fails == nil {
			require.Equal(t, fails.Trace.Nodes[fails.Trace.Steps[d.Story.Run.Wrong].Node], last.Passes.Node, name)
		}
	}
}
