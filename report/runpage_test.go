package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
)

// pageOf is the page about a committed recording.
func pageOf(t *testing.T, d *diagnosis.Diagnosis) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteRunHTML(&b, "simrun", d))
	return b.String()
}

// tables are the table of the told steps and that of all steps.
func tables(t *testing.T, page string) (told, whole string) {
	t.Helper()
	parts := strings.Split(page, `<table class="steps`)
	require.Len(t, parts, 3)
	cut := func(s string) string { return s[:strings.Index(s, "</table>")] }
	return cut(parts[1]), cut(parts[2])
}

// TestThePageMarksWhatMatters: the wrong answer and the missed write each have
// their row, and what is left out is counted.
func TestThePageMarksWhatMatters(t *testing.T) {
	short, whole := tables(t, pageOf(t, told(t, "issue-15220")))
	for _, mark := range []string{`<tr class=" told wrong"`, `<tr class=" told missed"`} {
		require.Equal(t, 1, strings.Count(short, mark), mark)
		require.Equal(t, 1, strings.Count(whole, mark), mark)
	}
	require.Contains(t, short, "⋮ ")
	require.NotContains(t, whole, "⋮ ", "the whole run leaves nothing out")
}

// TestColoursHaveAMeaning: where no change is missed nothing is coloured as one, since the
// page does not say what the colours mean then.
func TestColoursHaveAMeaning(t *testing.T) {
	d := told(t, "bug-kubernetes-58545")
	require.Negative(t, d.Story.Run.Missed)
	page := pageOf(t, d)
	for _, class := range []string{" holds\"", " claims\""} {
		require.NotContains(t, page, class)
		require.Contains(t, pageOf(t, told(t, "issue-15220")), class)
	}
}

// TestEachStepHasItsState: beside each step is the revision of etcd and the
// resourceVersion of the cache, and in which steps they change is known from the notes.
func TestEachStepHasItsState(t *testing.T) {
	d := told(t, "issue-15220")
	_, whole := tables(t, pageOf(t, d))
	rows := strings.Split(whole, "<tr class=")[1:]
	require.Len(t, rows, len(d.Story.Run.Trace.Steps))
	for i, row := range rows {
		for _, part := range []string{"revision", "resourceVersion"} {
			require.Regexp(t, `<span class="part( changed)?">`+part+` <i`, row, "step %d", i+1)
		}
	}
	missed := rows[d.Story.Run.Missed]
	require.Contains(t, missed, `<span class="part changed">revision <i class="entry new`, "the missed write makes a revision")
	require.NotContains(t, rows[d.Story.Run.Missed+1], `<span class="part changed">revision`)
}

// TestThePageShowsProgressOvertaking: in the run of etcd's #15220 the change that is
// missed still waits in etcd when the progress that says it is not missing goes into
// ctrlStream, and when the cache takes it for its resourceVersion.
func TestThePageShowsProgressOvertaking(t *testing.T) {
	_, whole := tables(t, pageOf(t, told(t, "bug-issue-15220")))
	waits, overtakes := false, 0
	for _, row := range strings.Split(whole, "<tr class=")[1:] {
		waits = strings.Contains(row, `unsynced <i class="entry holds">`)
		for _, part := range []string{"ctrlStream", "resourceVersion"} {
			if strings.Contains(row, part+` <i class="entry new claims">`) {
				require.True(t, waits, row)
				overtakes++
			}
		}
	}
	require.Equal(t, 2, overtakes)
	require.True(t, waits, "it is never sent")
}

// TestAChangedPartIsMarked: what a step changes is marked, an entry that it adds too.
func TestAChangedPartIsMarked(t *testing.T) {
	d := told(t, "issue-15220")
	held, err := trace.StatesOf(d.Scenario(), d.Recording)
	require.NoError(t, err)
	all := stepsOf(d.Story, held)
	changes := 0
	for i := 1; i < len(held.Trace.Steps); i++ {
		for _, n := range changed(all.holds(i, i-1)) {
			changes += len(n.Parts)
		}
	}
	require.NotZero(t, changes)
	table := all.table(func(int) bool { return true }, d.Story.Run.Tiers)
	var b bytes.Buffer
	require.NoError(t, runTemplate.ExecuteTemplate(&b, "steps", table))
	require.Equal(t, changes, strings.Count(b.String(), `<span class="part changed">`))
}

// TestThePageHasEveryLabel: no label is cut. The page has each message, each note and
// each name whole.
func TestThePageHasEveryLabel(t *testing.T) {
	for _, name := range []string{"issue-15220", "informer-relist-loop"}[:testsize.Of(2, 1)] {
		d := told(t, name)
		page := html.UnescapeString(pageOf(t, d))
		require.NotContains(t, page, "…", name)
		for _, l := range d.Story.Lines {
			require.Contains(t, page, l.Text)
		}
		tr := d.Story.Run.Trace
		if len(tr.Steps) > maxDrawn {
			continue
		}
		for i := range tr.Steps {
			s := &tr.Steps[i]
			require.Contains(t, page, s.Activity)
			if s.Delivered >= 0 {
				require.Contains(t, page, tr.Messages[s.Delivered].Payload.Label())
			}
		}
		for _, op := range d.Story.Run.History.Operations {
			require.Contains(t, page, asked(op.Request))
		}
	}
}

// TestThePageIsWellFormed: each element that begins also ends.
func TestThePageIsWellFormed(t *testing.T) {
	for _, name := range []string{"issue-15220", "informer-detector", "guard-downgrade", "informer-relist-loop"}[:testsize.Of(4, 2)] {
		d := xml.NewDecoder(strings.NewReader(pageOf(t, told(t, name))))
		d.Entity = xml.HTMLEntity
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
		}
	}
}

// TestThePassingRunIsBeside: it is shown from where the two runs part, and the reader is
// answered rightly in it.
func TestThePassingRunIsBeside(t *testing.T) {
	page := pageOf(t, told(t, "bug-issue-15220"))
	_, beside, found := strings.Cut(page, `<div class="beside">`)
	require.True(t, found)
	require.Contains(t, beside, "With progress=dropped")
	require.Contains(t, beside, "and is dropped")
	require.Contains(t, beside, `class="side passes"><div class="step`)
}

// TestAnEntryIsMarkedByItsRevisions: not by its text.
func TestAnEntryIsMarkedByItsRevisions(t *testing.T) {
	require.True(t, sim.Entry{First: 4, Last: 6}.Holds(6))
	require.False(t, sim.Entry{First: 4, Last: 6}.Holds(7))
	require.False(t, sim.Entry{Text: "6"}.Holds(6))
	require.True(t, sim.Entry{UpTo: 6}.Claims(6))
	require.False(t, sim.Entry{UpTo: 6}.Claims(7))
	require.False(t, sim.Entry{UpTo: 6}.Claims(0), "nothing is missed")
}

// TestTheColumnOfTimesIsCalledSo: the steps of a run with a clock have times in place of numbers.
func TestTheColumnOfTimesIsCalledSo(t *testing.T) {
	for name, want := range map[string]string{"issue-15220": "step", "issue-17507": "time"} {
		short, whole := tables(t, pageOf(t, told(t, name)))
		require.Contains(t, short, `<th class="when">`+want+`</th>`, name)
		require.Contains(t, whole, `<th class="when">`+want+`</th>`, name)
	}
}
