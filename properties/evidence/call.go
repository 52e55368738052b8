package evidence

import (
	"iter"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Etcd is what a member of etcd was like after a step.
type Etcd struct {
	Revision int64
	// Visible is the revision that it showed to those who take no lock of the watchable
	// store: the same, or the one before while a write has sent its events only.
	Visible int64
	// Compacted is the revision of the last compaction, 0 before the first.
	Compacted int64
}

func etcdNow(s testbed.EtcdState) Etcd {
	return Etcd{s.Revision(), s.VisibleRevision(), s.CompactRevision()}
}

// Moment is what was so after a step.
type Moment struct {
	// Step is its number, Time the virtual clock.
	Step int
	Time sim.Time
	// Etcd is the member that takes reads and writes. Of its history as much may be gone
	// as the member has compacted that serves watches, which may be ahead.
	Etcd
	// Applied is the newest revision that a member had applied: a watch that it serves may
	// have shown it.
	Applied int64
	// Cache is the cache that was asked; empty if it was etcd.
	Cache Cache
}

// Newest is the newest revision that was seen: a cache may be ahead of the member that takes
// writes, if another one serves its watch.
func (m *Moment) Newest() int64 { return max(m.Revision, m.Cache.Version) }

// Call is a request of a client, or a watch, with the moments of its beginning and end.
type Call struct {
	// To is the node that was asked, Cache its place in System.Caches, -1 if it is no cache.
	To    sim.NodeID
	Cache int
	// Server is what the API server was made of that was asked, nil for etcd.
	Server *testbed.Server
	// Request is what was asked for; nil for a watch. Client and Number say which
	// operation of the history it is.
	Request        sim.Payload
	Client, Number int
	// Asked is the step in which the request was sent, Answered the one in which the
	// answer came, or the error that ended a watch. Answered is empty until then, and
	// Over is false. Its cache has the greatest Version, Compacted and Listed since the request.
	Asked, Answered Moment
	Over            bool
}

// WasReady reports whether the cache was ready from the request to the answer.
func (c *Call) WasReady() bool { return c.Answered.Cache.Unready < c.Asked.Step }

// WasCurrent reports whether the cache was as new as etcd all that time.
func (c *Call) WasCurrent() bool { return c.Answered.Cache.Behind < c.Asked.Step }

// CaughtUp is when the cache was as new as etcd between two moments, both in the time of the call; false if it is not
// known to have been so.
func (c *Call) CaughtUp(from, until sim.Time) (sim.Time, bool) {
	cache := &c.Answered.Cache
	from = max(from, c.Asked.Time, cache.CurrentFrom)
	still := cache.Behind < c.Answered.Step
	return from, from <= until && (still || from <= cache.CurrentUntil)
}

// WasAlone reports whether no other client of the history waited for the cache in that
// time.
func (c *Call) WasAlone() bool { return c.Answered.Cache.Crowded < c.Asked.Step }

// TrustedEtcd reports whether the cache trusted etcd's progress all that time.
func (c *Call) TrustedEtcd() bool { return c.Answered.Cache.Untrusted < c.Asked.Step }

// DistrustedEtcd reports whether the cache never trusted etcd's progress in that time.
func (c *Call) DistrustedEtcd() bool { return c.Answered.Cache.Trusted < c.Asked.Step }

// Operations are those of a client of the history, in their order.
func (r *Recorder) Operations(client int) []Call { return r.operations[client] }

// Watches are those of a client, by the place that testbed.Watch has.
func (r *Recorder) Watches(place int) []Call { return r.watches[place] }

// Of is the call of an operation of the history.
func (r *Recorder) Of(o *testbed.Operation) *Call { return &r.operations[o.Place][o.Number] }

// OfWatch is the call with which a watch began. Before the first step of a run none is noted: it is nil.
func (r *Recorder) OfWatch(w *testbed.Watch) *Call {
	if all := r.watches[w.Place]; w.Number < len(all) {
		return &all[w.Number]
	}
	return nil
}

// LastWatches are the last watches of each client that has one, by the places of testbed.Watch.
func (r *Recorder) LastWatches() iter.Seq2[int, *Call] {
	return func(yield func(int, *Call) bool) {
		for i, all := range r.watches {
			if n := len(all); n > 0 && !yield(i, &all[n-1]) {
				return
			}
		}
	}
}

// System is the recorded system.
func (r *Recorder) System() *testbed.System { return r.system }

// With makes a judge that asks for moments (Of) while it judges: they are recorded from the beginning.
func With(judge func(*testbed.System) testbed.Judge) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		Of(s)
		return judge(s)
	}
}

// Recorded makes the judge of a property of what a run has recorded so far, moments included.
func Recorded(judge func(r *Recorder, w *sim.World, all *testbed.Tally)) func(*testbed.System) testbed.Judge {
	return testbed.RecordedBy(Of, judge)
}

// EachOperation makes the judge of a property that each operation of the history holds or violates by itself.
func EachOperation(judge func(r *Recorder, o *testbed.Operation, at *Call, all *testbed.Tally)) func(*testbed.System) testbed.Judge {
	return Recorded(func(r *Recorder, _ *sim.World, all *testbed.Tally) {
		for o := range r.system.Operations() {
			judge(r, o, r.Of(o), all)
		}
	})
}

// StayedReady reports whether the cache has been ready since the request, until its answer
// if that has come.
func (r *Recorder) StayedReady(c *Call) bool {
	if c.Over {
		return c.WasReady()
	}
	of := &r.caches[c.Cache]
	return of.ready && of.Unready < c.Asked.Step
}

// ask adds a call to those of a client or a watcher.
func (r *Recorder) ask(w *sim.World, to sim.NodeID, calls *[]Call) *Call {
	*calls = append(*calls, Call{To: to, Cache: -1})
	c := &(*calls)[len(*calls)-1]
	if role := r.system.Role(to); role.Part == testbed.CacheNode {
		c.Cache, c.Server = role.Place, r.system.Caches()[role.Place].Server()
	}
	r.moment(&c.Asked, w, c.Cache)
	return c
}

func (r *Recorder) answer(w *sim.World, c *Call) {
	c.Over = true
	r.moment(&c.Answered, w, c.Cache)
	if c.Cache >= 0 {
		r.caches[c.Cache].since(&c.Answered.Cache, c.Asked.Step)
	}
}

// moment writes down what is so now. It writes in place: a run has many moments, and each
// takes a few hundred bytes.
func (r *Recorder) moment(m *Moment, w *sim.World, cache int) {
	m.Step, m.Time, m.Etcd = r.step, w.Now(), etcdNow(r.system.Etcd())
	m.Compacted = max(m.Compacted, r.serves.CompactRevision())
	m.Applied = max(m.Revision, r.serves.Revision())
	if cache >= 0 {
		r.caches[cache].now(&m.Cache, m.Step)
	}
}
