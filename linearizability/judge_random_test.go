package linearizability

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/internal/random"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/model"
)

// The judges agree on every history. Each violation is explained in one line.
// The stronger property implies the weaker one.
func TestJudgeOnRandomHistories(t *testing.T) {
	d := random.NewDice(7, 8)
	var j Judge
	seen := map[Anomaly]int{}
	for n := range *histories / 3 {
		h, mutation := random.Mutated(d, 1+d(14))
		out, err := j.Check(h, nil, Properties()...)
		if err != nil {
			t.Fatalf("history %d (%q): %v\n%s", n, mutation, err, recordings.Show(h))
		}
		by := map[Property]model.Verdict{}
		for _, o := range out {
			by[o.Property] = o.Verdict
			if (o.Verdict == model.Violated) != (o.Why != nil) {
				t.Fatalf("history %d: %s is %v, explained by %v", n, o.Property, o.Verdict, o.Why)
			}
			if o.Why != nil {
				seen[o.Why.Anomaly]++
				if o.Why.Sentence == "" || strings.Contains(o.Why.Sentence, "\n") || o.Why.Anomaly == "" {
					t.Fatalf("history %d (%q): %s: badly explained: %+v\n%s", n, mutation, o.Property, o.Why, recordings.Show(h))
				}
			}
		}
		for _, weaker := range []Property{Monotonic, ReadYourWrites} {
			if holds(by[Sequential]) && by[weaker] == model.Violated {
				t.Fatalf("history %d (%q): sequential, but not %s\n%s", n, mutation, weaker, recordings.Show(h))
			}
		}
		if holds(by[Linearizable]) && by[LinearizableData] == model.Violated {
			t.Fatalf("history %d (%q): linearizable with revisions and not without\n%s", n, mutation, recordings.Show(h))
		}
	}
	t.Log(seen)
	for _, a := range []Anomaly{
		Missing, Ghost, Premature, Corrupt, Miscounted, OldRevision, UnmadeRevision, TakenRevision,
		SkippedRevision, Reordered, WrongFlag, Unexplained,
	} {
		if seen[a] == 0 {
			t.Errorf("no history shows a %s", a)
		}
	}
}

// Judgements do not depend on whether the items that histories begin with are set one by one
// or shared between histories: not even the steps of the search and the explanations do.
func TestJudgementsAreTheSameWithABase(t *testing.T) {
	d := random.NewDice(11, 12)
	var plain, based Judge
	based.witness.bases.Least, based.porcupine.bases.Least = 1, 1
	var items []*model.Item
	shared := 0
	for n := range *histories / 3 {
		h, mutation := random.Mutated(d, 1+d(14))
		if d(3) == 0 {
			// What more there was is mostly missing in the answers.
			for _, key := range []string{"a", "b", "c"}[:1+d(3)] {
				h.Initial.Items = append(h.Initial.Items, &model.Item{Key: key, Value: "x", CreateRevision: 1, ModRevision: 1, Version: 1})
			}
		}
		// Every other history begins with what the one before began with, if that is no other.
		if slices.EqualFunc(items, h.Initial.Items, func(a, b *model.Item) bool { return *a == *b }) {
			h.Initial.Items = items
			shared += min(1, len(items))
		}
		items = h.Initial.Items
		want, wantErr := plain.Check(h, nil, Properties()...)
		got, err := based.Check(h, nil, Properties()...)
		if (err == nil) != (wantErr == nil) || !reflect.DeepEqual(want, got) {
			t.Fatalf("history %d (%q): %v, %v with a base\n%s", n, mutation, want, got, recordings.Show(h))
		}
	}
	if shared == 0 {
		t.Error("no base was used twice")
	}
}

func holds(v model.Verdict) bool { return v == model.Holds || v == model.Vacuous }

// TestJudgesThatDisagreeAreAnError: porcupine is given one operation fewer than
// the witness, so the two verdicts differ.
func TestJudgesThatDisagreeAreAnError(t *testing.T) {
	h := recordings.Parse(start, putA, list(10, 2, oldA))
	fewer := *h
	fewer.Operations = h.Operations[:1]
	var j Judge
	j.witness.Load(h, nil)
	out := Judgement{Property: Linearizable, Verdict: model.Violated}
	err := j.record(&fewer, nil, &out)
	var d *Disagreement
	if !errors.As(err, &d) || d.Witness != model.Violated || d.Porcupine != model.Holds {
		t.Fatalf("no disagreement: %v", err)
	}
	if want := `internal error: on "linearizable" the witness says violated and porcupine says holds; please report this history`; d.Error() != want {
		t.Fatal(d)
	}
}

// What follows from a linearizable history is what porcupine finds if it is asked.
func TestWhatFollowsIsWhatPorcupineFinds(t *testing.T) {
	d := random.NewDice(9, 10)
	var j Judge
	var p Porcupine
	followed := map[Property]int{}
	for n := range *histories / 6 {
		h, mutation := random.Mutated(d, 1+d(14))
		if _, err := j.Check(h, nil, Linearizable); err != nil {
			t.Fatalf("history %d (%q): %v\n%s", n, mutation, err, recordings.Show(h))
		}
		for _, weaker := range []Property{LinearizableData, Sequential} {
			if !j.follows(h, weaker) {
				continue
			}
			followed[weaker]++
			if v, _ := p.Check(h, nil, weaker, DefaultSteps); v != model.Holds {
				t.Fatalf("history %d (%q): linearizable, and porcupine says %v on %s\n%s", n, mutation, v, weaker, recordings.Show(h))
			}
		}
	}
	if followed[LinearizableData] <= followed[Sequential] || followed[Sequential] == 0 {
		t.Errorf("not tested: %v", followed)
	}
}
