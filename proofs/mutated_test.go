package proofs_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/mutants"
	"github.com/watchbed/watchbed/testbed"
)

var mutantTask = flag.String("proofs.mutant", "", "search the rows that this file names, with the mutant that is compiled in (lab/mutants/cmd/mutants)")

// again is one search that continuous integration repeats, and what it came to.
type again struct {
	name     string
	scenario *testbed.Scenario
	params   testbed.Params
	firings  int
	want     figures
}

// searches are those of the table, of known bugs and of the same bounds without the bug, the smallest first.
func searches(t *testing.T, kept *kept) (all []again) {
	t.Helper()
	for i := range promises {
		for _, r := range promises[i].rows() {
			p, err := r.params()
			require.NoError(t, err)
			all = append(all, again{r.name(), r.judged(), p, r.firings, kept.Proofs[r.name()]})
		}
	}
	for i := range bugs {
		b := &bugs[i]
		p, err := b.params()
		require.NoError(t, err)
		f := kept.Bugs[b.name]
		all = append(all, again{b.scenario.Name + " --bug " + b.name, b.scenario, p, b.firings, f})
		sc := only(b.scenario, f.Violated)
		p.Bugs = nil
		all = append(all, again{b.scenario.Name + " without " + b.name, sc, p, b.firings, figures{Verdict: f.Without.Verdict, States: f.Without.States, Situations: f.Without.Situations}})
	}
	slices.SortStableFunc(all, func(a, b again) int { return cmp.Compare(a.want.States, b.want.States) })
	return all
}

// differs says how a verdict is another one than that which is written down.
func (s *again) differs(have *figures) (kind, what string) {
	want := &s.want
	switch {
	case have.Violated != "" && have.Violated != want.Violated:
		return mutants.Violation, have.Violated
	case have.Violated == "" && want.Violated != "":
		return mutants.NoViolation, want.Violated
	case have.Verdict == string(prove.Vacuous) && want.Verdict != have.Verdict:
		return mutants.Vacuous, ""
	}
	if lost := want.Situations.lost(have.Situations); lost != "" {
		return mutants.Situation, lost
	}
	return "", ""
}

// counts reports whether the numbers are others than those that are written down. Of a search without a bug only the states are.
func (s *again) counts(have *figures) bool {
	if s.want.Transitions == 0 {
		return have.States != s.want.States
	}
	return have.States != s.want.States || have.Transitions != s.want.Transitions || have.Steps != s.want.Steps
}

// TestRowsWithMutant searches rows until one comes to another verdict than without the mutant. A situation that is lost does not end it.
func TestRowsWithMutant(t *testing.T) {
	if *mutantTask == "" {
		t.Skip("go run ./mutants/cmd/mutants -searches in the folder lab starts it")
	}
	var task mutants.Task
	text, err := os.ReadFile(*mutantTask)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &task))
	if task.Seconds > 0 {
		require.NoError(t, mutants.Process(time.Duration(task.Seconds)*time.Second))
	}
	file, err := os.Create(task.Out)
	require.NoError(t, err)
	defer file.Close()
	out := json.NewEncoder(file)
	mutants.Entered()
	for _, s := range searches(t, load(t)) {
		if s.want.States > task.Largest || len(task.Rows) > 0 && !slices.Contains(task.Rows, s.name) {
			continue
		}
		o := mutants.Outcome{Row: s.name, States: s.want.States}
		require.NoError(t, out.Encode(&o))
		limits := prove.Config{Bounds: boundsOf(&s.params, s.firings), Workers: 1, States: 4*s.want.States + 1000}
		found, _, err := proof.Search(t.Context(), s.scenario, s.params, limits, "watchbed")
		if o.Ended = true; err != nil {
			o.Kind, o.What = mutants.Failed, err.Error()
		} else {
			have := figuresOf(found)
			o.Kind, o.What = s.differs(&have)
			o.Counts = o.Kind == "" && s.counts(&have)
		}
		o.Entered = mutants.Entered()
		require.NoError(t, out.Encode(&o))
		if o.Kind != "" && o.Kind != mutants.Situation {
			return
		}
	}
}
