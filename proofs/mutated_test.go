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
	"github.com/watchbed/watchbed/proofs"
)

var mutantTask = flag.String("proofs.mutant", "", "search the rows that this file names, with the mutant that is compiled in (lab/mutants)")

// differs says how a verdict is another one than that which is written down.
func (k *table) differs(r *row, have *proofs.Search) (kind, what string) {
	want := &r.want
	switch {
	case have.Violated != "" && have.Violated != want.Violated:
		return mutants.Violation, have.Violated
	case have.Violated == "" && want.Violated != "":
		return mutants.NoViolation, want.Violated
	case have.Verdict == string(prove.Vacuous) && want.Verdict != have.Verdict:
		return mutants.Vacuous, ""
	}
	for _, s := range want.CoveragePoints {
		if !slices.Contains(have.CoveragePoints, s) {
			return mutants.CoveragePoint, k.CoveragePoints[s]
		}
	}
	return "", ""
}

// counts reports whether the numbers are others than those that are written down. Of a search without a bug only the
// states are.
func (r *row) counts(have *proofs.Search) bool {
	if r.want.Transitions == 0 {
		return have.States != r.want.States
	}
	return have.States != r.want.States || have.Transitions != r.want.Transitions || have.Steps != r.want.Steps
}

// TestRowsWithMutant searches rows until one comes to another verdict than without the mutant. A coverage point that is
// lost does not end it.
func TestRowsWithMutant(t *testing.T) {
	if *mutantTask == "" {
		t.Skip("go run ./mutants -searches in the folder lab starts it")
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
	kept := load(t)
	rows := rowsOf(t, kept.Table)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.want.States, b.want.States) })
	for _, r := range rows {
		if r.want.States > task.Largest || len(task.Rows) > 0 && !slices.Contains(task.Rows, r.name) {
			continue
		}
		o := mutants.Outcome{Row: r.name, States: r.want.States}
		require.NoError(t, out.Encode(&o))
		limits := prove.Config{Bounds: boundsOf(&r.params, r.firings), Workers: 1, States: 4*r.want.States + 1000}
		found, _, err := proof.Search(t.Context(), r.judged(kept.Table), r.params, limits, "watchbed")
		if o.Ended = true; err != nil {
			o.Kind, o.What = mutants.Failed, err.Error()
		} else {
			have := kept.figuresOf(found, &r.want)
			o.Kind, o.What = kept.differs(&r, &have)
			o.Counts = o.Kind == "" && r.counts(&have)
		}
		o.Entered = mutants.Entered()
		require.NoError(t, out.Encode(&o))
		if o.Kind != "" && o.Kind != mutants.CoveragePoint {
			return
		}
	}
}
