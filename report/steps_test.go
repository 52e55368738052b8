package report

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/watchbed/watchbed/diagnosis/trace"
)

// stepsTold are the steps of a committed recording.
func stepsTold(t *testing.T, name string) (*steps, stepTable, stepTable) {
	t.Helper()
	s, sc, rec := tellRecorded(t, name)
	held, err := trace.StatesOf(sc, rec)
	require.NoError(t, err)
	all, kept := stepsOf(s, held), around(s.Run, s.Lines)
	whole := all.table(func(int) bool { return true }, s.Run.Tiers)
	return all, all.table(func(i int) bool { return kept[i] }, s.Run.Tiers), whole
}

// noted are the entries of all parts.
func noted(nodes []nodeState) string {
	var s strings.Builder
	for _, n := range nodes {
		for _, p := range n.Parts {
			for _, e := range p.Entries {
				s.WriteString(n.Node + " " + p.Name + " " + e.Text + "\n")
			}
		}
	}
	return s.String()
}

// TestAGapStandsForTheStepsLeftOut: with their number, and what is held after the last of
// them.
func TestAGapStandsForTheStepsLeftOut(t *testing.T) {
	_, short, whole := stepsTold(t, "issue-15220")
	step, gaps := 0, 0
	for _, row := range short.Rows {
		if row.Left == "" {
			step++
			require.Equal(t, strconv.Itoa(step), row.When)
			continue
		}
		gaps++
		number, _, _ := strings.Cut(row.Left, " ")
		left, err := strconv.Atoi(number)
		require.NoError(t, err)
		step += left
		require.Equal(t, noted(whole.Rows[step-1].Holds), noted(row.Holds), "after step %d", step)
	}
	require.NotZero(t, gaps)
}

// TestEachLineOfTheStoryIsInItsStep: also where a step has several.
func TestEachLineOfTheStoryIsInItsStep(t *testing.T) {
	d := told(t, "guard-downgrade")
	_, short, whole := stepsTold(t, "guard-downgrade")
	want := map[string][]saying{}
	several := false
	for _, l := range d.Story.Lines {
		when := d.Story.When(l)
		several = several || len(want[when]) > 0
		want[when] = append(want[when], saying{l.Node, l.Text})
	}
	require.True(t, several)
	for _, table := range []stepTable{short, whole} {
		got := map[string][]saying{}
		for _, row := range table.Rows {
			if len(row.Says) > 0 {
				got[row.When] = row.Says
			}
		}
		require.Equal(t, want, got)
	}
}

// TestNoEntryIsLeftUncounted: an entry that is not listed is in the number of those, or
// in that of how often the same one follows.
func TestNoEntryIsLeftUncounted(t *testing.T) {
	more, repeated := 0, 0
	for _, name := range storyNames(t) {
		all, _, _ := stepsTold(t, name)
		for i := range all.trace.Steps {
			for part, p := range all.states.Parts {
				held := all.states.After(i, part)
				for _, n := range all.holds(i, i-1) {
					for _, x := range n.Parts {
						if n.Node != all.trace.Nodes[p.Node] || x.Name != p.Name {
							continue
						}
						counted := x.More
						for _, e := range x.Entries {
							counted += e.Times
							repeated += e.Times - 1
						}
						more += x.More
						require.Equal(t, len(held), counted, "%s of %s after step %d", x.Name, n.Node, i+1)
					}
				}
			}
		}
	}
	require.NotZero(t, more)
	require.NotZero(t, repeated)
}

// TestAnArrowEndsAtTheNodeThatTakesTheMessage: and its head points there.
func TestAnArrowEndsAtTheNodeThatTakesTheMessage(t *testing.T) {
	all, _, whole := stepsTold(t, "issue-15220")
	lane := func(node string) int {
		for i, name := range whole.Lanes {
			if name == node {
				return laneWidth*i + laneWidth/2
			}
		}
		return 0
	}
	arrows := 0
	for i, row := range whole.Rows {
		if !row.Lanes.Arrow {
			continue
		}
		arrows++
		s := &all.trace.Steps[i]
		from, to := lane(all.trace.Nodes[all.trace.Messages[s.Delivered].From]), lane(all.trace.Nodes[s.Node])
		require.Equal(t, []int{from, to}, []int{row.Lanes.From, row.Lanes.To}, row.When)
		require.Equal(t, from < to, row.Lanes.Back < row.Lanes.To, row.When)
	}
	require.NotZero(t, arrows)
}

// TestAStepSaysWhenItsMessageWasSent: unless that was the step before.
func TestAStepSaysWhenItsMessageWasSent(t *testing.T) {
	all, _, whole := stepsTold(t, "issue-15220")
	late := 0
	for i, row := range whole.Rows {
		s := &all.trace.Steps[i]
		if s.Delivered < 0 {
			continue
		}
		sent := all.trace.Messages[s.Delivered].Sent
		if sent < 0 || sent == i-1 {
			require.NotContains(t, row.How, "(sent at")
			continue
		}
		late++
		require.Contains(t, row.How, "(sent at "+strconv.Itoa(sent+1)+")")
	}
	require.NotZero(t, late)
}

// TestEtcdIsShownWithoutALane: what waits in it explains a run also if it does nothing
// in the steps that are told. Other nodes without a lane are left out, and those that
// hold nothing.
func TestEtcdIsShownWithoutALane(t *testing.T) {
	full := []partState{{Name: "part"}}
	rows := []stepRow{{Holds: []nodeState{{"etcd", full}, {"cache", full}, {"client", full}, {"idle", nil}}}}
	inUse(rows, []string{"cache", "idle"}, map[string]bool{"etcd": true})
	require.Equal(t, []nodeState{{"etcd", full}, {"cache", full}}, rows[0].Holds)
}
