package informer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/wire"
)

type seeded struct{ *rand.Rand }

func (s seeded) Pick(_ *sim.World, enabled []sim.Action) int { return s.IntN(len(enabled)) }
func (s seeded) Choose(_ *sim.World, n int, _ string) int    { return s.IntN(n) }

// field is an informer before two right servers, with a writer behind them.
type field struct {
	w        *sim.World
	truth    *truth
	servers  [2]*rightServer
	writer   *writer
	informer *informer.Informer
	cfg      informer.Config

	// seen before the last step
	version int64
	record  informer.Record
	asked   int64
	ended   bool
}

// shape is one of the configurations that are run.
func shape(seed uint64) informer.Config {
	cfg := informer.Config{Options: informer.Options{Page: 2}, Prefix: prefix, Servers: []sim.NodeID{1, 2}}
	if seed&1 != 0 {
		cfg.List = informer.ByWatchList
	}
	cfg.RV = informer.RVAny
	if seed&2 != 0 {
		cfg.RV = informer.RVNewest
	}
	cfg.Check = seed&4 != 0
	if seed&8 != 0 {
		cfg.Page = 0
	}
	cfg.Newest, cfg.NotOlder, cfg.AwaitReady = seed&32 != 0, seed&64 != 0, seed&128 != 0
	if seed&256 != 0 {
		cfg.Shared = shared.Options{Queue: shared.RealFIFO, Handlers: 2, Late: 1, Removed: 1, Stops: 1, Batch: 2, Resync: 1, Resyncs: 2}
		cfg.Controller = seed&512 != 0
	}
	return cfg
}

func newField(seed uint64, node *informer.Informer) *field {
	f := &field{truth: newTruth(), cfg: shape(seed), informer: node}
	mode := sim.Untimed
	if seed&16 != 0 {
		mode = sim.Timed
	}
	f.w = sim.NewWorld(sim.Options{Mode: mode})
	for i := range f.servers {
		f.servers[i] = &rightServer{truth: f.truth, refusals: 3}
		f.w.Add([]string{"first", "second"}[i], f.servers[i])
	}
	f.writer = &writer{truth: f.truth, left: 12}
	f.w.Add("writer", f.writer)
	f.informer.Reset(f.cfg)
	id := f.w.Add("informer", f.informer)
	f.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{id}, Label: "informer"}, sim.Budget{Times: 1, Within: 1})
	f.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "first"}, sim.Budget{Times: 1, Within: 1})
	f.w.AddFault(&sim.BreakStream{From: []sim.NodeID{id}, To: 1, Label: "to the first"}, sim.Budget{Times: 1, Within: 1})
	f.w.AddFault(&sim.BreakStream{From: []sim.NodeID{id}, To: 2, Label: "to the second"}, sim.Budget{Times: 1, Within: 1})
	f.w.Start(seeded{rand.New(rand.NewPCG(seed, 0))})
	f.asked = f.truth.revision()
	f.record = *f.informer.Record()
	return f
}

func (f *field) clone(t *testing.T) *field {
	w, err := f.w.Clone()
	require.NoError(t, err)
	c := *f
	c.w, c.truth = w, f.truth.clone()
	for i := range c.servers {
		c.servers[i] = w.Node(sim.NodeID(i + 1)).(*rightServer)
		c.servers[i].truth = c.truth
	}
	c.writer = w.Node(3).(*writer)
	c.writer.truth = c.truth
	c.informer = w.Node(4).(*informer.Informer)
	return &c
}

func (f *field) run(c sim.Chooser, steps int) error {
	for range steps {
		if !f.w.Step(c) {
			return f.over()
		}
		if err := f.check(); err != nil {
			return err
		}
	}
	return nil
}

// over holds the informer to having everything when nothing more can happen.
func (f *field) over() error {
	f.ended = true
	if f.version == 0 || !f.holds(f.truth.revision()) {
		return fmt.Errorf("at %d it is not what is there at %d, in the end", f.version, f.truth.revision())
	}
	return nil
}

func (f *field) holds(revision int64) bool {
	var got []*wire.KeyValue
	f.informer.Ascend(func(kv *wire.KeyValue) bool { got = append(got, kv); return true })
	return slices.EqualFunc(got, f.truth.at(revision), func(a, b *wire.KeyValue) bool { return *a == *b })
}

// check holds the informer to what it promises after each step.
func (f *field) check() error {
	r, rec := f.informer, *f.informer.Record()
	before := f.record
	f.record = rec
	if rec.Panicked {
		return fmt.Errorf("its consistency detector panics")
	}
	if rec.Restarts > before.Restarts {
		f.version = 0
	}
	version := r.ResourceVersion()
	if version != 0 && !f.holds(version) {
		return fmt.Errorf("it does not hold what there was at %d", version)
	}
	if version < f.version {
		return fmt.Errorf("it goes back from %d to %d", f.version, version)
	}
	f.version = version
	if r.Shared() == nil && rec.Streamed > before.Streamed && rec.Requested == wire.Unset && version < f.asked {
		return fmt.Errorf("it asked for the newest state when that was %d and is at %d", f.asked, version)
	}
	if rec.Requests > before.Requests {
		f.asked = f.truth.revision()
	}
	return nil
}

// Before servers that answer rightly, an informer holds what there is at its
// resourceVersion, whatever breaks, and has everything in the end.
func TestAnInformerHoldsWhatThereIsAtItsResourceVersion(t *testing.T) {
	var total informer.Record
	ended := 0
	node := informer.New(informer.Config{Servers: []sim.NodeID{1}})
	for seed := range uint64(1500) {
		f := newField(seed, node)
		c := seeded{rand.New(rand.NewPCG(seed, 1))}
		require.NoError(t, f.run(c, 3000), "seed %d", seed)
		if f.ended {
			ended++
		}
		rec := f.record
		total.Streamed += rec.Streamed
		total.Listed += rec.Listed
		total.Fallbacks += rec.Fallbacks
		total.Checked += rec.Checked
		total.Restarts += rec.Restarts
	}
	require.Greater(t, ended, 300)
	require.Greater(t, min(total.Streamed, total.Listed, total.Fallbacks, total.Checked, total.Restarts), 200, "%+v", total)
}

// Clones go their own ways, whichever goes first, and what the original does
// afterwards is the same as without them.
func TestACloneGoesItsOwnWay(t *testing.T) {
	for seed := range uint64(300) {
		f := newField(seed, informer.New(informer.Config{Servers: []sim.NodeID{1}}))
		require.NoError(t, f.run(seeded{rand.New(rand.NewPCG(seed, 1))}, 20+int(seed)))
		goOn := func(f *field, seed uint64) (uint64, uint64) {
			require.NoError(t, f.run(seeded{rand.New(rand.NewPCG(seed, 2))}, 200))
			return f.end(t)
		}
		a, b := f.clone(t), f.clone(t)
		_, before := f.end(t)
		_, clone := a.end(t)
		require.Equal(t, before, clone, "seed %d", seed)
		goOn(b, seed+1000)
		hash, fingerprint := goOn(f, seed)
		// The original's memory is used again while the clone lives.
		f.informer.Reset(f.cfg)
		again, same := goOn(a, seed)
		require.Equal(t, hash, again, "seed %d", seed)
		require.Equal(t, fingerprint, same, "seed %d", seed)
	}
}

func (f *field) end(t *testing.T) (hash, fingerprint uint64) {
	fingerprint, err := f.w.Fingerprint()
	require.NoError(t, err)
	return f.w.TraceHash(), fingerprint
}

// An informer that is reset behaves as a new one does.
func TestAnInformerThatIsResetRunsLikeANewOne(t *testing.T) {
	used := informer.New(informer.Config{Servers: []sim.NodeID{1}})
	for seed := range uint64(200) {
		run := func(node *informer.Informer) (uint64, uint64) {
			f := newField(seed, node)
			require.NoError(t, f.run(seeded{rand.New(rand.NewPCG(seed, 1))}, 300))
			return f.end(t)
		}
		hash, fingerprint := run(used)
		newHash, newFingerprint := run(informer.New(informer.Config{Servers: []sim.NodeID{1}}))
		require.Equal(t, newHash, hash, "seed %d", seed)
		require.Equal(t, newFingerprint, fingerprint, "seed %d", seed)
	}
}
