package linearizability

import (
	"flag"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/internal/random"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/model"
)

// The figures of the package comment come from
//
//	go test ./linearizability -run Equal -witness.histories=1000000 -timeout 1h
//
// which also holds a tenth of that number against brute force.
var histories = flag.Int("witness.histories", 30_000, "random histories to hold witness and porcupine equal on")

var orderedProperties = []Property{Linearizable, LinearizableData, Sequential}

// verdicts counts what came out, so that a test of equality cannot pass on
// histories that say nothing.
type verdicts struct {
	total, violated, unknown int
	byMutation               map[string]int
}

func (v *verdicts) report(t *testing.T, prop Property) {
	t.Helper()
	t.Logf("%s: %d histories, %d violated, %d unknown by the witness; violated by mutation: %v",
		prop, v.total, v.violated, v.unknown, v.byMutation)
}

func TestWitnessEqualsPorcupine(t *testing.T) {
	d := random.NewDice(1, 2)
	count := map[Property]*verdicts{}
	for _, p := range orderedProperties {
		count[p] = &verdicts{byMutation: map[string]int{}}
	}
	var w Witness
	var p Porcupine
	for n := range *histories {
		h, mutation := random.Mutated(d, 1+d(12))
		w.Load(h, nil)
		for _, prop := range orderedProperties {
			c := count[prop]
			c.total++
			want, _ := p.Check(h, nil, prop, 1_000_000)
			if want == model.VerdictUnknown {
				t.Fatalf("history %d: porcupine gave up", n)
			}
			got, _ := w.Check(prop)
			switch {
			case got == model.VerdictUnknown:
				c.unknown++
			case (got == model.Violated) != (want == model.Violated):
				t.Fatalf("history %d (%q), %s: witness %v, porcupine %v\n%s", n, mutation, prop, got, want, recordings.Show(h))
			}
			if want == model.Violated {
				c.violated++
				c.byMutation[mutation]++
			}
		}
	}
	for _, prop := range orderedProperties {
		count[prop].report(t, prop)
		for _, m := range random.Mutations() {
			if count[prop].byMutation[m] == 0 && !(prop == LinearizableData && m == "wrong list revision") {
				t.Errorf("%s: no history with a %s was violated", prop, m)
			}
		}
	}
}

func TestPorcupineEqualsBruteForce(t *testing.T) {
	d := random.NewDice(3, 4)
	violated := 0
	var p Porcupine
	var w Witness
	total := *histories / 10
	for n := range total {
		h, mutation := random.Mutated(d, 1+d(7))
		w.Load(h, nil)
		for _, prop := range orderedProperties {
			want := random.BruteForce(h, prop)
			got, _ := p.Check(h, nil, prop, 1_000_000)
			if want != (got == model.Holds) {
				t.Fatalf("history %d (%q), %s: porcupine %v, brute force %t\n%s", n, mutation, prop, got, want, recordings.Show(h))
			}
			if v, _ := w.Check(prop); v != model.VerdictUnknown && want == (v == model.Violated) {
				t.Fatalf("history %d (%q), %s: witness %v, brute force %t\n%s", n, mutation, prop, v, want, recordings.Show(h))
			}
			if prop == Linearizable && !want {
				violated++
			}
		}
	}
	t.Logf("%d histories, %d not linearizable", total, violated)
}

// If the log is given, the judges count writes that the history does not record.
func TestJudgesEqualWithLog(t *testing.T) {
	d := random.NewDice(5, 6)
	violated, total := 0, *histories/10
	var p Porcupine
	var w Witness
	for n := range total {
		s := random.Simulate(d, 1+d(7))
		h := s.History
		mutation := "none"
		if d(2) == 0 {
			mutation, _ = random.Mutate(d, h)
		}
		if len(h.Operations) > 1 && d(2) == 0 {
			at := d(len(h.Operations))
			h.Operations = append(h.Operations[:at:at], h.Operations[at+1:]...)
		}
		if revokedTwice(h, s.Log) {
			// Which leases there are is not judged, and the brute force knows nothing of them.
			continue
		}
		w.Load(h, s.Log)
		whole := withLog(h, s.Log)
		for _, prop := range orderedProperties {
			want := random.BruteForce(whole, prop)
			if mutation == "none" && prop != Sequential && !want {
				t.Fatalf("history %d: a correct one is not %s\n%s", n, prop, recordings.Show(h))
			}
			if got, _ := p.Check(h, s.Log, prop, 1_000_000); want != (got == model.Holds) {
				t.Fatalf("history %d (%q), %s: porcupine %v, brute force %t\n%s", n, mutation, prop, got, want, recordings.Show(h))
			}
			if v, _ := w.Check(prop); v == model.VerdictUnknown != w.blind || v != model.VerdictUnknown && want == (v == model.Violated) {
				t.Fatalf("history %d (%q), %s: witness %v, brute force %t\n%s", n, mutation, prop, v, want, recordings.Show(h))
			}
			if !want {
				violated++
			}
		}
	}
	t.Logf("%d histories, %d judgements violated", total, violated)
}

// revokedTwice reports whether two revocations of a lease were answered with the revision that
// one made, though ground truth has no grant between them: etcd refuses the second.
func revokedTwice(h *model.History, log *model.Log) bool {
	seen := map[int64]bool{}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Outcome != model.Done || op.Request.Kind != model.LeaseRevoke || !revokes(log, op.Request.Lease, op.Result.Revision) {
			continue
		}
		if seen[op.Result.Revision] {
			return true
		}
		seen[op.Result.Revision] = true
	}
	return false
}

// withLog adds the unrecorded writes of the log to the history, each as the
// operation of a client of its own.
func withLog(h *model.History, log *model.Log) *model.History {
	whole := *h
	whole.Operations = append([]model.Operation(nil), h.Operations...)
	made := map[int64]bool{}
	for i := range whole.Operations {
		op := &whole.Operations[i]
		switch {
		case random.IsEffective(op), op.Outcome == model.Done && op.Request.Kind == model.LeaseRevoke && revokes(log, op.Request.Lease, op.Result.Revision):
			made[op.Result.Revision] = true
		case op.Outcome == model.Unknown && op.Commit == 0:
			op.Commit = -1
		case op.Outcome == model.Unknown:
			made[op.Commit] = true
		}
	}
	for rev := log.First() + 1; rev <= log.Revision(); rev++ {
		if !made[rev] {
			whole.Operations = append(whole.Operations, model.Operation{
				Client: -int(rev), Call: math.MinInt64, Return: math.MaxInt64,
				Request: log.Write(rev), Outcome: model.Unknown, Commit: rev,
			})
		}
	}
	return &whole
}

// The same by rapid, which shrinks what differs to something that a person can
// read.
func TestJudgesEqualShrinking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, mutation := random.Mutated(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "roll") }, rapid.IntRange(1, 7).Draw(t, "operations"))
		var w Witness
		var p Porcupine
		w.Load(h, nil)
		for _, prop := range orderedProperties {
			want := random.BruteForce(h, prop)
			if got, _ := p.Check(h, nil, prop, 1_000_000); want != (got == model.Holds) {
				t.Fatalf("%q, %s: porcupine %v, brute force %t\n%s", mutation, prop, got, want, recordings.Show(h))
			}
			if v, _ := w.Check(prop); v != model.VerdictUnknown && want == (v == model.Violated) {
				t.Fatalf("%q, %s: witness %v, brute force %t\n%s", mutation, prop, v, want, recordings.Show(h))
			}
		}
	})
}
