package etcd_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

const nextOp sim.Timer = 0

// chaos is a client that does anything that the watch API allows, as the choices
// have it, and keeps what it is sent.
type chaos struct {
	left    int
	streams []watchedStream
	open    bool // the last stream is in use
}

type watchedStream struct {
	conn    sim.Conn
	watches []watched
	told    []*wire.WatchResponse
	ended   bool
	// asked: progress was requested. No watches are created on the stream from
	// then on: Created may overtake progress (testdata/interactions/progress.txt).
	asked bool
}

type watched struct {
	req       *wire.WatchCreateRequest
	cancelled bool
}

func (c *chaos) Start(env *sim.Env)         { env.Arm(nextOp, 0) }
func (c *chaos) Run(*sim.Env, sim.Task)     {}
func (c *chaos) TaskName(sim.Task) string   { return "" }
func (c *chaos) TimerName(sim.Timer) string { return "op" }

func (c *chaos) Receive(env *sim.Env, m *sim.Message) {
	for i := range c.streams {
		s := &c.streams[i]
		if s.conn != m.Conn {
			continue
		}
		switch p := m.Payload.(type) {
		case *wire.WatchResponse:
			s.told = append(s.told, p)
			if p.CompactRevision != 0 && !s.watches[p.WatchID-1].cancelled {
				// clientv3 does so too. If it did not, the server would go on
				// telling it, if it has too many like it to choose from.
				s.watches[p.WatchID-1].cancelled = true
				env.Send(s.conn, &wire.WatchCancelRequest{WatchID: p.WatchID})
			}
		case *sim.Hangup:
			s.ended = true
			c.open = c.open && i < len(c.streams)-1
		}
	}
}

func (c *chaos) Clone() sim.Node {
	d := *c
	d.streams = slices.Clone(c.streams)
	for i := range d.streams {
		s := &d.streams[i]
		s.watches, s.told = slices.Clone(s.watches), slices.Clone(s.told)
	}
	return &d
}

func (c *chaos) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(c.left)).Bool(c.open)
	for i := range c.streams {
		s := &c.streams[i]
		d = d.Int(int64(len(s.watches))).Bool(s.ended).Bool(s.asked)
		for _, r := range s.told {
			d = r.Digest(d)
		}
	}
	return d
}

// revisions is how far the store gets in a run, about.
const revisions = 10

// Fire does one thing. Node 1 is the server.
func (c *chaos) Fire(env *sim.Env, _ sim.Timer) {
	c.left--
	if c.left > 0 {
		pause := sim.Duration(0)
		if env.Mode() == sim.Timed {
			pause = sim.Duration(env.Choose(20, "pause")) * time.Millisecond
		}
		env.Arm(nextOp, pause)
	}
	key := []string{"/a", "/b"}[env.Choose(2, "key")]
	var s *watchedStream
	if c.open {
		s = &c.streams[len(c.streams)-1]
	}
	switch op := env.Choose(16, "op"); {
	case op < 4:
		env.Call(1, &wire.PutRequest{Key: key, Value: "v"})
	case op < 6:
		env.Call(1, &wire.DeleteRangeRequest{Key: key})
	case op == 6:
		env.Call(1, &wire.TxnRequest{Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: "/a"}}, {Put: &wire.PutRequest{Key: "/b"}}}})
	case op == 7:
		env.Call(1, &wire.CompactionRequest{Revision: int64(env.Choose(revisions, "compact"))})
	case op < 12 || s == nil:
		c.watch(env, key)
	case op < 14:
		s.asked = true
		env.Send(s.conn, &wire.WatchProgressRequest{})
	case op == 14:
		w := &s.watches[env.Choose(len(s.watches), "cancel")]
		w.cancelled = true
		env.Send(s.conn, &wire.WatchCancelRequest{WatchID: w.req.WatchID})
	case env.Choose(4, "hang up") == 0:
		s.ended, c.open = true, false
		env.Close(s.conn)
	}
}

func (c *chaos) watch(env *sim.Env, key string) {
	if !c.open || c.streams[len(c.streams)-1].asked {
		c.open = true
		c.streams = append(c.streams, watchedStream{conn: env.Open(1)})
	}
	s := &c.streams[len(c.streams)-1]
	req := &wire.WatchCreateRequest{Key: key, WatchID: int64(len(s.watches) + 1), PrevKv: env.Choose(2, "prevKv") == 1}
	if env.Choose(3, "from now") != 0 {
		req.StartRevision = max(-1, int64(env.Choose(revisions+1, "start"))-1)
	}
	if env.Choose(2, "range") == 1 {
		req.Key, req.RangeEnd = "/", "0"
	}
	req.ProgressNotify = env.Choose(4, "progress notify") == 0
	s.watches = append(s.watches, watched{req: req})
	env.Send(s.conn, req)
}

// dice picks everything from one seed.
type dice struct{ *rand.Rand }

func newDice(seed int) dice { return dice{rand.New(rand.NewPCG(uint64(seed), 1))} }

// Pick prefers what is due to faults and timers.
func (d dice) Pick(_ *sim.World, enabled []sim.Action) int {
	for range 3 {
		i := d.IntN(len(enabled))
		if k := enabled[i].Kind; k == sim.Run || k == sim.Deliver {
			return i
		}
	}
	return d.IntN(len(enabled))
}

func (d dice) Choose(_ *sim.World, n int, _ string) int { return d.IntN(n) }

// rough is a run with buffers so small that they are often full.
type rough struct {
	w      *sim.World
	server *etcd.Server
	client *chaos
}

// small makes buffers so small that they are often full, and has tickers tick.
func small(cfg *etcd.Config) {
	s, w := &cfg.Store, &cfg.Watch
	s.ChanBufLen, s.MaxWatchersPerSync, s.WatchBatchMaxRevs, s.CompactionBatchLimit = 2, 4, 2, 3
	w.CtrlStreamBufLen, w.SendWindow, w.ProgressNotifyInterval = 2, 2, 10*time.Minute
	cfg.Streams.ChunkKeys = 1
}

// within is when faults strike in a timed run.
const within = 300 * time.Millisecond

func newRough(t testing.TB, version string, settings ...string) *rough {
	return newRoughIn(t, sim.Options{}, version, settings...)
}

func newRoughIn(t testing.TB, o sim.Options, version string, settings ...string) *rough {
	cfg, err := etcd.DefaultConfig(version)
	require.NoError(t, err)
	require.NoError(t, etcd.Group.Apply(&cfg.Options, &option.Preset{Settings: option.Settings(settings...)}))
	small(&cfg)
	r := &rough{w: sim.NewWorld(o), server: etcd.New(cfg), client: &chaos{left: 24}}
	r.w.Add("etcd", r.server)
	r.w.Add("chaos", r.client)
	r.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "etcd"}, sim.Budget{Times: 1})
	r.w.AddFault(&sim.BreakStream{From: []sim.NodeID{2}, To: 1, Label: "chaos>etcd"}, sim.Budget{Times: 1, Within: within})
	r.w.AddFault(etcd.InstallSnapshot(1, "etcd"), sim.Budget{Times: 2, Within: within})
	return r
}

// run goes on until the client has done everything and nothing is left to do
// but to tick.
func (r *rough) run(d dice) error {
	r.w.Start(d)
	for r.client.left > 0 {
		r.w.Step(d)
	}
	r.w.Heal()
	for range 20_000 {
		if !r.busy() {
			return r.judge()
		}
		r.w.Step(d)
	}
	return errors.New("endless")
}

func (r *rough) busy() bool {
	for _, a := range r.w.Enabled() {
		if a.Kind != sim.Fire || !strings.Contains(r.w.Name(a), "progressTicker") {
			return true
		}
	}
	return false
}

// judge compares what the streams were sent with the replayed log of writes. The
// error begins with the guarantee that is broken.
func (r *rough) judge() error {
	log := model.NewLog(model.Initial{Revision: 1})
	for _, c := range r.server.Committed() {
		log.Append(requestOf(c.Request))
		if log.Revision() != c.Revision {
			return fmt.Errorf("revision: %s made %d, not %d", c.Request.Label(), c.Revision, log.Revision())
		}
	}
	for i := range r.client.streams {
		if err := judgeStream(log, &r.client.streams[i]); err != nil {
			return fmt.Errorf("%w, stream %d", err, i)
		}
	}
	return nil
}

func requestOf(p sim.Payload) *model.Request {
	switch p := p.(type) {
	case *wire.PutRequest:
		return &model.Request{Kind: model.Put, Key: p.Key, Value: p.Value}
	case *wire.DeleteRangeRequest:
		return &model.Request{Kind: model.Delete, Key: p.Key, End: p.RangeEnd}
	case *wire.CompactionRequest:
		return &model.Request{Kind: model.Compact, Revision: p.Revision}
	case *wire.TxnRequest:
		m := &model.Request{Kind: model.Txn}
		for _, op := range p.Success {
			m.Success = append(m.Success, *requestOf(op.Put))
		}
		return m
	}
	panic("unexpected request")
}

// following is one watch, and the events that it still has to see.
type following struct {
	*watched
	want        []change
	begun, over bool
	// created is what Created named. A watch from now on may or may not see
	// events up to there.
	created int64
}

// change is one event that a watch should see; item is nil for a deletion.
type change struct {
	rev        int64
	key        string
	item, prev *model.Item
}

func (f *following) expect(log *model.Log) {
	for rev := max(f.req.StartRevision, 2); rev <= log.Revision(); rev++ {
		for _, k := range []string{"/a", "/b"} {
			now, before := log.At(rev).Get(k), log.At(rev-1).Get(k)
			if model.InRange(k, f.req.Key, f.req.RangeEnd) && now != before {
				f.want = append(f.want, change{rev, k, now, before})
			}
		}
	}
}

// owed is the revision of the next event that the watch cannot do without, 0
// for none.
func (f *following) owed() int64 {
	for _, c := range f.want {
		if f.req.StartRevision != 0 || c.rev > f.created {
			return c.rev
		}
	}
	return 0
}

func (f *following) see(e *wire.Event) error {
	rev := e.Kv.ModRevision
	for len(f.want) > 0 && f.want[0].rev < rev && f.req.StartRevision == 0 && f.want[0].rev <= f.created {
		f.want = f.want[1:]
	}
	i := slices.IndexFunc(f.want, func(c change) bool { return c.rev == rev && c.key == e.Kv.Key })
	if i < 0 {
		return fmt.Errorf("unique: unexpected event at %d", rev)
	}
	c := f.want[i]
	if f.want[0].rev < rev {
		return fmt.Errorf("reliable: %d comes without %d", rev, f.want[0].rev)
	}
	f.want = slices.Delete(f.want, i, i+1)
	if (c.item == nil) != (e.Type == wire.Delete) || c.item != nil && *c.item != itemOf(e.Kv) {
		return fmt.Errorf("exact: wrong event at %d", rev)
	}
	if e.PrevKv != nil && (c.prev == nil || *c.prev != itemOf(e.PrevKv)) {
		return fmt.Errorf("prevKV: wrong at %d", rev)
	}
	return nil
}

func judgeStream(log *model.Log, s *watchedStream) error {
	follow := make([]following, len(s.watches))
	for i := range follow {
		follow[i].watched = &s.watches[i]
		follow[i].expect(log)
	}
	for _, resp := range s.told {
		if err := judgeResponse(follow, resp); err != nil {
			return err
		}
	}
	for i := range follow {
		if f := &follow[i]; f.begun && !f.over && !f.cancelled && !s.ended && f.owed() != 0 {
			return fmt.Errorf("reliable: watch %d never saw %d", i+1, f.owed())
		}
	}
	return nil
}

func judgeResponse(follow []following, resp *wire.WatchResponse) error {
	for i := range follow {
		f := &follow[i]
		if resp.IsProgressNotify() && f.begun && !f.over && !f.cancelled && (resp.WatchID == wire.InvalidWatchID || resp.WatchID == f.req.WatchID) {
			if resp.Revision < f.req.StartRevision {
				return fmt.Errorf("future: watch from %d is sent progress to %d", f.req.StartRevision, resp.Revision)
			}
			if o := f.owed(); o != 0 && o <= resp.Revision {
				return fmt.Errorf("bookmarkable: progress %d before %d", resp.Revision, o)
			}
		}
		if resp.WatchID != f.req.WatchID {
			continue
		}
		if resp.Created {
			f.begun, f.created = true, resp.Revision
		}
		f.over = f.over || resp.Canceled
		for j := range resp.Events {
			if err := f.see(&resp.Events[j]); err != nil {
				return err
			}
		}
		if n := len(resp.Events); n > 0 && len(f.want) > 0 && f.want[0].rev == resp.Events[n-1].Kv.ModRevision {
			return fmt.Errorf("atomic: only part of %d", f.want[0].rev)
		}
	}
	return nil
}

func TestFixedVersionsKeepTheirPromises(t *testing.T) {
	delays := sim.Bounds{
		Network:    sim.Delay{Max: 20 * time.Millisecond, Steps: 4},
		Scheduling: sim.Delay{Max: 5 * time.Millisecond, Steps: 2},
	}
	for _, version := range []string{"3.4.45", "3.5.35", "3.6.16", "3.7.3"} {
		for seed := range 1500 {
			require.NoError(t, newRough(t, version).run(newDice(seed)), "%s, seed %d", version, seed)
		}
		for seed := range 300 {
			timed := sim.Options{Mode: sim.Timed, Safety: delays, Liveness: delays}
			require.NoError(t, newRoughIn(t, timed, version).run(newDice(seed)), "%s, timed, seed %d", version, seed)
		}
	}
}

// TestEachBugBreaksItsPromise puts each old behaviour into the newest version, where
// nothing else is wrong. Not here: #17507, which breaks no promise of this kind
// but is silent, and #17780 and #19179, which want a crash in the middle of a
// compaction. They have tests of their own.
func TestEachBugBreaksItsPromise(t *testing.T) {
	for setting, breaks := range map[string][]string{
		"progress=control-queue":           {"bookmarkable", "future"},
		"notify-min-rev=on-failure":        {"unique"},
		"compacted-unsynced=falls-through": {"reliable", "bookmarkable"},
		"compact-tombstone=removed":        {"reliable", "bookmarkable"},
		"progress=dropped":                 {"future"},
		"sync-min-rev=set-to-next":         {"unique"},
		"negative-start=accepted":          {"reliable", "bookmarkable"},
	} {
		t.Run(setting, func(t *testing.T) {
			const enough = 20_000
			for seed := range enough {
				err := newRough(t, "3.7.3", setting).run(newDice(seed))
				if err == nil {
					continue
				}
				broken, _, _ := strings.Cut(err.Error(), ":")
				require.Contains(t, breaks, broken, "seed %d: %s", seed, err)
				t.Logf("seed %d: %s", seed, err)
				return
			}
			t.Fatal("not found")
		})
	}
}

func TestClonesGoTheSameWay(t *testing.T) {
	for seed := range 150 {
		r := newRough(t, []string{"3.5.7", "3.5.12", "3.7.3"}[seed%3])
		d := newDice(seed)
		r.w.Start(d)
		for range 40 + seed {
			r.w.Step(d)
		}
		before := fingerprint(t, r.w)
		c, err := r.w.Clone()
		require.NoError(t, err)
		require.Equal(t, before, fingerprint(t, c), "a clone is in the same state")
		// A third one goes elsewhere and must not disturb them.
		other, err := r.w.Clone()
		require.NoError(t, err)
		elsewhere := newDice(seed + 1_000_000)
		for range 100 {
			other.Step(elsewhere)
		}
		require.Equal(t, before, fingerprint(t, r.w))
		require.Equal(t, before, fingerprint(t, c))
		a, b := newDice(seed+1000), newDice(seed+1000)
		for range 150 {
			r.w.Step(a)
			c.Step(b)
			require.Equal(t, fingerprint(t, r.w), fingerprint(t, c))
		}
		require.Equal(t, r.w.TraceHash(), c.TraceHash())
	}
}

// Ranges that take their time, and members that take over, are in no chaos.
func TestAServerHasReadsAndMembersOfItsOwn(t *testing.T) {
	cfg, err := etcd.DefaultConfig("3.5.13")
	require.NoError(t, err)
	cfg.Reads.RangeTime = time.Millisecond
	cfg.Members = []etcd.Member{{Version: "3.5.13", Options: cfg.Options}, {Version: "3.5.7"}}
	b := benchIn(t, sim.NewWorld(sim.Options{}), cfg)
	b.World.AddFault(&etcd.Failover{Node: 1, Label: "etcd"}, sim.Budget{Times: 1})
	b.World.Start(b)
	b.call(&wire.RangeRequest{Key: "/a"}).call(&wire.RangeRequest{Key: "/b"}).settle()
	clone, progress := b.server.Clone().(*etcd.Server), b.server.Serving().Watch.Progress
	before := b.server.Fingerprint(sim.NewDigest)
	require.Equal(t, before, clone.Fingerprint(sim.NewDigest))
	b.Act("fire etcd Range user.0")
	b.settle().call(&wire.RangeRequest{Key: "/c"}).settle()
	require.Equal(t, before, clone.Fingerprint(sim.NewDigest), "the clone goes its own way")
	require.NotEqual(t, before, b.server.Fingerprint(sim.NewDigest))
	b.Act("inject failover etcd")
	require.Equal(t, progress, clone.Serving().Watch.Progress)
	require.NotEqual(t, progress, b.settle().server.Serving().Watch.Progress)
	b.server.Reset(cfg)
	require.Equal(t, progress, b.server.Serving().Watch.Progress, "the next run begins with the first member")
}

func TestResetServersRunLikeNewOnes(t *testing.T) {
	var hashes []uint64
	var used *etcd.Server
	for range 2 {
		for seed := range 50 {
			r := newRough(t, "3.7.3")
			if used != nil {
				cfg, err := etcd.DefaultConfig("3.7.3")
				require.NoError(t, err)
				small(&cfg)
				used.Reset(cfg)
				w := sim.NewWorld(sim.Options{})
				w.Add("etcd", used)
				w.Add("chaos", r.client)
				w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "etcd"}, sim.Budget{Times: 1})
				w.AddFault(&sim.BreakStream{From: []sim.NodeID{2}, To: 1, Label: "chaos>etcd"}, sim.Budget{Times: 1})
				w.AddFault(etcd.InstallSnapshot(1, "etcd"), sim.Budget{Times: 2})
				r.w, r.server = w, used
			}
			require.NoError(t, r.run(newDice(seed)))
			if used == nil {
				hashes = append(hashes, r.w.TraceHash())
			} else {
				require.Equal(t, hashes[seed], r.w.TraceHash(), "seed %d", seed)
			}
			if seed == 49 {
				used = r.server
			}
		}
	}
}

func fingerprint(t *testing.T, w *sim.World) uint64 {
	t.Helper()
	f, err := w.Fingerprint()
	require.NoError(t, err)
	return f
}
