package linearizability

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// The figures of the package comment come from
//
//	go test ./linearizability -run Equal -witness.histories=1000000 -timeout 1h
//
// which also holds a tenth of that number against brute force.
var histories = flag.Int("witness.histories", 30_000, "random histories to hold witness and porcupine equal on")

var orderedProperties = []Property{Linearizable, LinearizableData, Sequential}

// mutated returns a random history and the name of what was changed in it,
// empty for a tenth of them. About half of the mutations make no violation.
func mutated(d dice, operations int) (*model.History, string) {
	h := randomHistory(d, operations)
	if d.roll(10) == 0 {
		return h, ""
	}
	for range 4 {
		if m := mutations[d.roll(len(mutations))]; m.change(d, h) {
			return h, m.name
		}
	}
	return h, ""
}

func show(h *model.History) string {
	var out bytes.Buffer
	if err := history.Write(&out, h); err != nil {
		return err.Error()
	}
	return out.String()
}

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
	d := fastDice{rand.New(rand.NewPCG(1, 2))}
	count := map[Property]*verdicts{}
	for _, p := range orderedProperties {
		count[p] = &verdicts{byMutation: map[string]int{}}
	}
	var w Witness
	var p Porcupine
	for n := range *histories {
		h, mutation := mutated(d, 1+d.roll(12))
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
				t.Fatalf("history %d (%q), %s: witness %v, porcupine %v\n%s", n, mutation, prop, got, want, show(h))
			}
			if want == model.Violated {
				c.violated++
				c.byMutation[mutation]++
			}
		}
	}
	for _, prop := range orderedProperties {
		count[prop].report(t, prop)
		for _, m := range mutations {
			if count[prop].byMutation[m.name] == 0 && !(prop == LinearizableData && m.name == "wrong list revision") {
				t.Errorf("%s: no history with a %s was violated", prop, m.name)
			}
		}
	}
}

func TestPorcupineEqualsBruteForce(t *testing.T) {
	d := fastDice{rand.New(rand.NewPCG(3, 4))}
	violated := 0
	var p Porcupine
	var w Witness
	total := *histories / 10
	for n := range total {
		h, mutation := mutated(d, 1+d.roll(7))
		w.Load(h, nil)
		for _, prop := range orderedProperties {
			want := bruteForce(h, prop)
			got, _ := p.Check(h, nil, prop, 1_000_000)
			if want != (got == model.Holds) {
				t.Fatalf("history %d (%q), %s: porcupine %v, brute force %t\n%s", n, mutation, prop, got, want, show(h))
			}
			if v, _ := w.Check(prop); v != model.VerdictUnknown && want == (v == model.Violated) {
				t.Fatalf("history %d (%q), %s: witness %v, brute force %t\n%s", n, mutation, prop, v, want, show(h))
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
	d := fastDice{rand.New(rand.NewPCG(5, 6))}
	violated, total := 0, *histories/10
	var p Porcupine
	var w Witness
	for n := range total {
		s := simulate(d, 1+d.roll(7))
		h := s.history
		mutation := "none"
		if d.roll(2) == 0 {
			m := mutations[d.roll(len(mutations))]
			m.change(d, h)
			mutation = m.name
		}
		if len(h.Operations) > 1 && d.roll(2) == 0 {
			at := d.roll(len(h.Operations))
			h.Operations = append(h.Operations[:at:at], h.Operations[at+1:]...)
		}
		if revokedTwice(h, s.log) {
			// Which leases there are is not judged, and the brute force knows nothing of them.
			continue
		}
		w.Load(h, s.log)
		whole := withLog(h, s.log)
		for _, prop := range orderedProperties {
			want := bruteForce(whole, prop)
			if mutation == "none" && prop != Sequential && !want {
				t.Fatalf("history %d: a correct one is not %s\n%s", n, prop, show(h))
			}
			if got, _ := p.Check(h, s.log, prop, 1_000_000); want != (got == model.Holds) {
				t.Fatalf("history %d (%q), %s: porcupine %v, brute force %t\n%s", n, mutation, prop, got, want, show(h))
			}
			if v, _ := w.Check(prop); v == model.VerdictUnknown != w.blind || v != model.VerdictUnknown && want == (v == model.Violated) {
				t.Fatalf("history %d (%q), %s: witness %v, brute force %t\n%s", n, mutation, prop, v, want, show(h))
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
		case isEffective(op), op.Outcome == model.Done && op.Request.Kind == model.LeaseRevoke && revokes(log, op.Request.Lease, op.Result.Revision):
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
		h, mutation := mutated(rapidDice{t}, rapid.IntRange(1, 7).Draw(t, "operations"))
		var w Witness
		var p Porcupine
		w.Load(h, nil)
		for _, prop := range orderedProperties {
			want := bruteForce(h, prop)
			if got, _ := p.Check(h, nil, prop, 1_000_000); want != (got == model.Holds) {
				t.Fatalf("%q, %s: porcupine %v, brute force %t\n%s", mutation, prop, got, want, show(h))
			}
			if v, _ := w.Check(prop); v != model.VerdictUnknown && want == (v == model.Violated) {
				t.Fatalf("%q, %s: witness %v, brute force %t\n%s", mutation, prop, v, want, show(h))
			}
		}
	})
}
