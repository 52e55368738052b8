package clusterbed

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// kind makes a request of a client, the n-th one.
type kind func(env *sim.Env, d *drawing, n int) workload.Step

// kinds are the kinds of operations, each as often as its share. The first is the plainest.
func (s Shares) kinds() (all []kind) {
	for _, k := range []struct {
		share int
		kind
	}{{s.Get, get}, {s.Put, put}, {s.List, list}, {s.Serializable, serializable}, {s.Delete, remove}, {s.Txn, txn}, {s.Past, past}, {s.Compact, compact}, {s.Large, large}, {s.Rewrite, rewrite}, {s.Previous, previous}, {s.Nested, nested}} {
		for range k.share {
			all = append(all, k.kind)
		}
	}
	return all
}

// drawing is what a client draws from.
type drawing struct {
	client string
	config *Config
}

// prefix is how all keys begin that are watched and listed.
const prefix = "/registry/pods/"

func (d *drawing) key(env *sim.Env) string {
	return fmt.Sprintf(prefix+"%d", 1+env.Choose(d.config.Keys, "key"))
}

// value is one that is written once.
func (d *drawing) value(n int) string { return fmt.Sprintf("%s:%d", d.client, n+1) }

func step(p sim.Payload) workload.Step {
	return workload.Step{Payload: p, Request: workload.Request(p)}
}

func get(env *sim.Env, d *drawing, _ int) workload.Step {
	return step(&wire.RangeRequest{Key: d.key(env)})
}

func put(env *sim.Env, d *drawing, n int) workload.Step {
	return step(&wire.PutRequest{Key: d.key(env), Value: d.value(n)})
}

func everything() *wire.RangeRequest {
	return &wire.RangeRequest{Key: prefix, RangeEnd: model.PrefixEnd(prefix)}
}

func list(*sim.Env, *drawing, int) workload.Step { return step(everything()) }

func serializable(*sim.Env, *drawing, int) workload.Step {
	all := everything()
	all.Serializable = true
	return step(all)
}

func remove(env *sim.Env, d *drawing, _ int) workload.Step {
	return step(&wire.DeleteRangeRequest{Key: d.key(env)})
}

// txn writes a key if that does not exist, with another one and with one that no watcher watches, and reads it
// otherwise.
func txn(env *sim.Env, d *drawing, n int) workload.Step {
	key := d.key(env)
	return step(&wire.TxnRequest{
		Compare: []wire.Compare{{Key: key, Target: wire.CompareCreate, Result: wire.CompareEqual}},
		Success: []wire.RequestOp{
			{Put: &wire.PutRequest{Key: key, Value: d.value(n)}}, {Put: &wire.PutRequest{Key: prefix + "second", Value: d.value(n)}},
			{Put: &wire.PutRequest{Key: "/registry/other", Value: d.value(n)}},
		},
		Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: key}}},
	})
}

// past writes a key in a transaction that also reads at a revision which the client has seen, and which may be
// compacted by then. What it reads was never written: the model has no past.
func past(env *sim.Env, d *drawing, n int) workload.Step {
	key, age := d.key(env), int64(env.Choose(maxAge, "age of what is read"))
	at := func(seen int64) workload.Step {
		return step(&wire.TxnRequest{Success: []wire.RequestOp{
			{Range: &wire.RangeRequest{Key: prefix + "never", Revision: max(1, seen-age)}}, {Put: &wire.PutRequest{Key: key, Value: d.value(n)}},
		}})
	}
	s := at(1)
	s.SinceSeen = at
	return s
}

// rewrite deletes all keys from one on, and writes that one, in one transaction.
func rewrite(env *sim.Env, d *drawing, n int) workload.Step {
	key := d.key(env)
	return step(&wire.TxnRequest{Success: []wire.RequestOp{
		{DeleteRange: &wire.DeleteRangeRequest{Key: key, RangeEnd: "\x00"}}, {Put: &wire.PutRequest{Key: key, Value: d.value(n)}},
	}})
}

// previous puts a key in a transaction, and asks for what was there before.
func previous(env *sim.Env, d *drawing, n int) workload.Step {
	return step(&wire.TxnRequest{Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: d.key(env), Value: d.value(n), PrevKv: true}}}})
}

// nested puts a key in a transaction that is in another one.
func nested(env *sim.Env, d *drawing, n int) workload.Step {
	within := &wire.TxnRequest{Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: d.key(env), Value: d.value(n)}}}}
	return step(&wire.TxnRequest{Success: []wire.RequestOp{{Txn: within}}})
}

// maxAge is how many revisions before what the client has seen a read of the past may be.
const maxAge = 4

// compact compacts at what the client has seen.
func compact(env *sim.Env, _ *drawing, _ int) workload.Step {
	physical := env.Choose(2, "physical compaction") == 1
	at := func(seen int64) workload.Step {
		return step(&wire.CompactionRequest{Revision: seen, Physical: physical})
	}
	s := at(1)
	s.SinceSeen = at
	return s
}

// draw is how a client draws its program. It asks the member that is its own, or another one.
func (s *subject) draw(client string, i int) workload.Draw {
	kinds := s.config.Shares.kinds()
	return func(env *sim.Env) []workload.Step {
		d := &drawing{client, &s.config}
		var program []workload.Step
		think := time.Duration(0)
		for n := range s.config.Operations {
			st := kinds[env.Choose(len(kinds), "kind of operation")](env, d, n)
			member := (i + env.Choose(len(s.members), "member that is asked")) % len(s.members)
			// Before the next operation pass those that are left out.
			if think += s.config.Think; s.without(operationOf(client, n)) {
				continue
			}
			st.To, st.Think = firstMember+sim.NodeID(member), sim.Delay{Max: think, Steps: delaySteps}
			if think = 0; len(program) == 0 {
				st.Think.Min, st.Think.Max = s.config.Boot, s.config.Boot+st.Think.Max
			}
			if since, to := st.SinceSeen, st.To; since != nil {
				st.SinceSeen = func(seen int64) workload.Step {
					st := since(seen)
					st.To = to
					return st
				}
			}
			program = append(program, st)
		}
		return program
	}
}

// reads is how a client of a cache draws its program: consistent LISTs.
func (s *subject) reads(to sim.NodeID) workload.Draw {
	return func(env *sim.Env) []workload.Step {
		var program []workload.Step
		for n := range s.config.Operations {
			st := step(&wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset})
			st.To, st.Think = to, sim.Delay{Max: s.config.Think, Steps: delaySteps}
			if n == 0 {
				st.Think.Min, st.Think.Max = s.config.Boot, s.config.Boot+s.config.Think
			}
			if since := st.SinceSeen; since != nil {
				st.SinceSeen = func(seen int64) workload.Step {
					of := since(seen)
					of.To = st.To
					return of
				}
			}
			program = append(program, st)
		}
		return program
	}
}
