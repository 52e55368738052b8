package follower_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/follower"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// wrapper asks etcd for each LIST, but answers the second one with nothing if the first one came when the follower was
// as new as it is then: what first holds shows in nothing that the follower holds.
type wrapper struct {
	*follower.Follower
	kv    sim.NodeID
	asked []asked
	first int64
}

type asked struct{ client, etcd sim.Conn }

func (w *wrapper) Receive(env *sim.Env, m *sim.Message) {
	if p, ok := m.Payload.(*wire.RangeResponse); ok {
		if i := slices.IndexFunc(w.asked, func(a asked) bool { return a.etcd == m.Conn }); i >= 0 {
			env.Send(w.asked[i].client, &wire.ListResponse{ResourceVersion: p.Revision, Items: p.Kvs, Origin: wire.FromEtcd})
			w.asked = slices.Delete(w.asked, i, i+1)
			return
		}
	}
	l, ok := m.Payload.(*wire.ListRequest)
	switch {
	case !ok:
		w.Follower.Receive(env, m)
	case w.first > 1 && w.first == w.ResourceVersion():
		env.Send(m.Conn, w.Contents("/none/"))
	default:
		if w.first == 0 {
			w.first = w.ResourceVersion()
		}
		w.asked = append(w.asked, asked{m.Conn, env.Call(w.kv, &wire.RangeRequest{Key: l.Prefix, RangeEnd: "/registry/pods0"})})
	}
}

func (w *wrapper) clone() wrapper {
	c := *w
	c.Follower, c.asked = w.Follower.Clone().(*follower.Follower), slices.Clone(w.asked)
	return c
}

// copied has its own Clone, vague also a Fingerprint of its own, and whole one that knows first.
type (
	copied struct{ wrapper }
	vague  struct{ copied }
	whole  struct{ copied }
)

func (w *copied) Clone() sim.Node { return &copied{w.clone()} }
func (w *vague) Clone() sim.Node  { return &vague{copied{w.clone()}} }
func (w *whole) Clone() sim.Node  { return &whole{copied{w.clone()}} }

func (w *vague) Fingerprint(d sim.Digest) sim.Digest {
	return w.Follower.Fingerprint(d).Int(int64(len(w.asked)))
}

func (w *whole) Fingerprint(d sim.Digest) sim.Digest {
	return w.Follower.Fingerprint(d).Int(int64(len(w.asked))).Int(w.first)
}

// inOrder keeps the order in which LISTs come, and has the follower declare what a LIST touches.
type inOrder struct {
	*follower.Follower
	came string
}

func (o *inOrder) Receive(env *sim.Env, m *sim.Message) {
	if _, ok := m.Payload.(*wire.ListRequest); ok {
		o.came += env.NodeName(m.From) + " "
	}
	o.Follower.Receive(env, m)
}

func (o *inOrder) Clone() sim.Node {
	return &inOrder{o.Follower.Clone().(*follower.Follower), o.came}
}

func init() {
	design := func(name string, node func(wrapper) sim.Node) {
		cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: name, Doc: "asks etcd for LISTs, most of the time"}, New: func(c cache.Config) sim.Node {
			return node(wrapper{Follower: follower.New(c, nil), kv: c.KV})
		}})
	}
	design("test-bare", func(w wrapper) sim.Node { return &w })
	design("test-copied", func(w wrapper) sim.Node { return &copied{w} })
	design("test-vague", func(w wrapper) sim.Node { return &vague{copied{w}} })
	design("test-whole", func(w wrapper) sim.Node { return &whole{copied{w}} })
	cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: "test-in-order", Doc: "answers every LIST at once"}, New: func(c cache.Config) sim.Node {
		return &inOrder{Follower: follower.New(c, func(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload { return f.Contents(l.Prefix) })}
	}})
}

func small(design string, readers, reads int) testbed.Params {
	p := scenarios.Issue15220.Params
	p.Cache, p.Etcd = design, "3.6.16"
	p.Workload.Writers, p.Workload.Writes, p.Workload.Readers, p.Workload.Reads = 1, 1, readers, reads
	return p
}

// A wrapper whose state a search does not see as a whole is never proved: it is refused, and so is one with whose
// fingerprint states are taken for one that go on differently.
func TestWrapperIsNotProvedByWhatItsFollowerIs(t *testing.T) {
	for _, c := range []struct{ design, states, schedules string }{
		{"test-bare", "node cache: *follower_test.wrapper has its method Clone from what it embeds, which leaves out its own fields; " +
			"write one for it, as the documentation of package sim/follower says",
			"node cache: *follower_test.wrapper has its method Clone from what it embeds, which leaves out its own fields; " +
				"write one for it, as the documentation of package sim/follower says"},
		{"test-copied", "node cache: *follower_test.copied has its method Fingerprint from what it embeds, which leaves out its own fields; " +
			"write one for it, as the documentation of package sim/follower says", ""},
		{"test-vague", "two states that have one fingerprint go on differently (cache receives LIST /registry/pods/): " +
			"the Fingerprint of cache (*follower_test.vague) leaves out what decides that", ""},
		{"test-whole", "", ""},
	} {
		for engine, says := range map[string]string{proof.States: c.states, proof.ClassSchedules: c.schedules} {
			t.Run(c.design+" "+engine, func(t *testing.T) {
				var found *proof.Proof
				var err error
				if p := small(c.design, 1, 2); engine == proof.States {
					found, _, err = proof.Search(t.Context(), scenarios.Issue15220, p, prove.Config{}, "test")
				} else {
					found, _, err = proof.SearchSchedules(t.Context(), scenarios.Issue15220, p, schedules.Config{}, "test")
				}
				if says != "" {
					require.EqualError(t, err, says)
					return
				}
				require.NoError(t, err)
				require.Equal(t, prove.Violated, found.Verdict)
			})
		}
	}
}

// What the follower declares of a step is not all that a wrapper does in it: two LISTs are searched in both orders.
func TestStepsOfAWrapperConflict(t *testing.T) {
	p := small("test-in-order", 2, 1)
	p.Workload.Writers = 0
	system, _, err := scenarios.Issue15220.ProvableByHistory(p)
	require.NoError(t, err)
	// By who asked first and whose LIST came first.
	came := map[string]bool{}
	_, err = schedules.Search(t.Context(), system, testbed.Names(system.Claims()), schedules.Config{All: true, Ended: func(w *sim.World) {
		order, first, call := "", "", int64(0)
		for n := sim.NodeID(1); int(n) < w.Nodes(); n++ {
			switch x := w.Node(n).(type) {
			case *inOrder:
				order = x.came
			case *workload.Client:
				if ops := x.Operations(); len(ops) > 0 && (first == "" || ops[0].Call < call) {
					first, call = x.Name(), ops[0].Call
				}
			}
		}
		came[first+": "+order] = true
	}})
	require.NoError(t, err)
	require.Equal(t, []string{
		"reader-1: reader-1 reader-2 ", "reader-1: reader-2 reader-1 ", "reader-2: reader-1 reader-2 ", "reader-2: reader-2 reader-1 ",
	}, slices.Sorted(maps.Keys(came)))
}
