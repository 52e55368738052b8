package evidence

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Recorder records the moments of a run, for all judges of a system that need them.
type Recorder struct {
	system *testbed.System
	// serves is the member of etcd that serves watches.
	serves testbed.EtcdState
	*records
	// shared: the records are remembered, and must not be changed any more.
	shared bool
	// recalled: they are those of a search, in which worlds do not count steps and coverage points.
	recalled bool
}

// records are what was recorded.
type records struct {
	// step is the number of the last step. A search counts the steps that a recorder follows.
	step int
	// caches are by their place in System.Caches. notified is how many progress
	// notifications they had heard after the last step.
	caches   []cacheRecord
	notified uint64
	// struck is the step of the first fault, 0 if there was none.
	struck int
	// revisions are etcd's revisions in the run, in their order.
	revisions []revision
	// operations[i] are those of client i of the history, watches[i] the watches of
	// watcher i: the watchers, then the list watchers, then those that draw their watches.
	operations, watches [][]Call
	streams             []Stream
}

// revision is one of etcd, and when etcd came to it.
type revision struct {
	number int64
	at     sim.Time
}

// Of is the recorder of a system. It records from the first judge on that asks for it.
func Of(s *testbed.System) *Recorder { return testbed.Shared(s, newRecorder) }

func newRecorder(s *testbed.System) *Recorder {
	return &Recorder{
		system: s, serves: s.Serving(),
		records: &records{
			caches:     make([]cacheRecord, len(s.Caches())),
			operations: make([][]Call, len(s.Clients())),
			watches:    make([][]Call, len(s.Watchers())+len(s.ListWatchers())+len(s.DrawnWatchers())),
			streams:    make([]Stream, len(s.Streams())),
		},
	}
}

// Reset implements testbed.Observer.
func (r *Recorder) Reset() {
	r.own()
	r.recalled = false
	r.step, r.notified, r.struck, r.revisions = 0, 0, 0, r.revisions[:0]
	clear(r.caches)
	for i := range r.operations {
		r.operations[i] = r.operations[i][:0]
	}
	for i := range r.watches {
		r.watches[i] = r.watches[i][:0]
	}
	for i := range r.streams {
		s := &r.streams[i]
		s.Creates, s.Later, s.Responses = s.Creates[:0], s.Later[:0], s.Responses[:0]
	}
}

// Follows implements testbed.Follower.
func (r *Recorder) Follows(p testbed.Part) bool {
	switch p {
	case testbed.TheWorld, testbed.EtcdMember, testbed.CacheNode, testbed.HistoryClient, testbed.WatcherNode,
		testbed.StreamNode, testbed.ListWatcherNode, testbed.DrawnWatcherNode:
		return true
	}
	return false
}

// AfterStep implements testbed.StepObserver.
func (r *Recorder) AfterStep(w *sim.World, a sim.Action) {
	r.own()
	if r.recalled {
		r.step++
	} else {
		r.step = w.Steps()
	}
	r.lookAtFault(a)
	if r.step == 1 && !r.recalled {
		r.lookAtAll(w)
		return
	}
	switch role := r.system.Role(a.Node); role.Part {
	case testbed.TheWorld:
		r.lookAtRevision(w)
		r.lookAtCaches(w)
	case testbed.EtcdMember:
		if r.lookAtRevision(w) {
			r.lookAtCaches(w)
		}
	case testbed.CacheNode:
		r.lookAtCaches(w)
		if notified := heard(w); notified > r.notified && !r.recalled {
			r.notified, r.caches[role.Place].Heard = notified, r.step
		}
	case testbed.HistoryClient:
		r.lookAtClient(w, role.Place)
	case testbed.StreamNode:
		r.lookAtStream(role.Place)
	case testbed.WatcherNode, testbed.ListWatcherNode, testbed.DrawnWatcherNode:
		r.lookAtWatches(w, role)
	}
}

// BeginJudging implements testbed.Preparer. A run may be cut off before its first step, when
// clients have started.
func (r *Recorder) BeginJudging(w *sim.World) {
	if w.Steps() == 0 && !r.recalled {
		r.lookAtAll(w)
	}
}

// lookAtFault keeps when the first one strikes.
func (r *Recorder) lookAtFault(a sim.Action) {
	if r.struck == 0 && a.Kind == sim.Inject {
		r.struck = r.step
	}
}

// Untroubled reports whether no fault had struck by a moment.
func (r *Recorder) Untroubled(by *Moment) bool { return r.struck == 0 || by.Step < r.struck }

// lookAtAll is for the first step: clients may ask when they start.
func (r *Recorder) lookAtAll(w *sim.World) {
	r.lookAtRevision(w)
	r.lookAtCaches(w)
	for i := range r.system.Clients() {
		r.lookAtClient(w, i)
	}
	for n := range sim.NodeID(w.Nodes()) {
		if role := r.system.Role(n); slices.Contains(testbed.Watchers, role.Part) {
			r.lookAtWatches(w, role)
		}
	}
	for i := range r.system.Streams() {
		r.lookAtStream(i)
	}
}

// lookAtRevision reports whether etcd has come to another revision, and keeps when.
func (r *Recorder) lookAtRevision(w *sim.World) bool {
	now := r.system.Etcd().Revision()
	if n := len(r.revisions); n > 0 && r.revisions[n-1].number >= now {
		return false
	}
	r.revisions = append(r.revisions, revision{now, w.Now()})
	return true
}

// Reached is when etcd came to a revision, false if it has not.
func (r *Recorder) Reached(number int64) (sim.Time, bool) {
	i, _ := slices.BinarySearchFunc(r.revisions, number, func(known revision, number int64) int { return cmp.Compare(known.number, number) })
	if i == len(r.revisions) {
		return 0, false
	}
	return r.revisions[i].at, true
}

func (r *Recorder) lookAtCaches(w *sim.World) {
	newest := r.revisions[len(r.revisions)-1].number
	for i, c := range r.system.Caches() {
		r.caches[i].look(w, r.step, c, newest)
	}
}

func (r *Recorder) lookAtClient(w *sim.World, i int) {
	c := r.system.Clients()[i]
	n := len(c.Operations())
	if n == 0 {
		return
	}
	if n > len(r.operations[i]) {
		at := r.ask(w, c.Asked(), &r.operations[i])
		at.Request, at.Client, at.Number = c.Request(), i, n-1
		if at.Cache >= 0 {
			r.caches[at.Cache].waiting++
		}
	}
	if at := &r.operations[i][n-1]; !at.Over && c.Spans()[n-1].Answered {
		if at.Cache >= 0 {
			r.caches[at.Cache].leave(r.step)
		}
		r.answer(w, at)
	}
}

// lookAtWatches takes in the last watch of a client, and the error that ended it.
func (r *Recorder) lookAtWatches(w *sim.World, of testbed.Role) {
	last := r.system.LastWatch(of)
	if last == nil {
		return
	}
	calls := &r.watches[last.Place]
	for len(*calls) <= last.Number {
		r.ask(w, last.To, calls)
	}
	if at := &(*calls)[last.Number]; !at.Over && last.Failed() != nil {
		r.answer(w, at)
	}
}

// Stream is what the member that serves watches was like when a client of etcd's watch
// API sent its requests, and when responses came.
type Stream struct {
	// Creates are the requests with which the stream began, Later those after them.
	// Responses are by their places in EtcdWatch.Responses.
	Creates, Later, Responses []Etcd
}

// Stream is the record of a stream, by its place in System.Streams.
func (r *Recorder) Stream(i int) *Stream { return &r.streams[i] }

func (r *Recorder) lookAtStream(i int) {
	s, c := &r.streams[i], r.system.Streams()[i]
	now := etcdNow(r.system.ServingStream(i))
	creates, later := c.Sent()
	s.Creates = upTo(s.Creates, creates, now)
	s.Later = upTo(s.Later, later, now)
	s.Responses = upTo(s.Responses, len(c.Responses()), now)
}

// upTo adds moments until there are n.
func upTo(all []Etcd, n int, now Etcd) []Etcd {
	for len(all) < n {
		all = append(all, now)
	}
	return all
}

var _ testbed.Remembering = (*Recorder)(nil)

// Memory implements testbed.Remembering.
func (r *Recorder) Memory() any {
	r.shared = true
	return r.records
}

// Recall implements testbed.Remembering.
func (r *Recorder) Recall(memory any) {
	r.records, r.shared, r.recalled, r.serves = memory.(*records), true, true, r.system.Serving()
}

// KnowsHeard reports whether Cache.Heard is known: a search does not count progress notifications.
func (r *Recorder) KnowsHeard() bool { return !r.recalled }

// Times mixes in when etcd came to which revision.
func (r *Recorder) Times(d sim.Digest) sim.Digest {
	for _, known := range r.revisions {
		d = d.Int(known.number).Int(int64(known.at))
	}
	return d
}

// Same reports whether two messages are the same one. A search puts states together of nodes from
// different runs, in which equal messages are not told apart.
func (r *Recorder) Same(a, b sim.Payload) bool { return a == b || r.recalled && values.Alike()(a, b) }

// own makes the records the recorder's alone, before they change.
func (r *Recorder) own() {
	if r.shared {
		r.records, r.shared = r.records.clone(), false
	}
}

func (r *records) clone() *records {
	c := *r
	c.caches, c.revisions, c.streams = slices.Clone(r.caches), slices.Clone(r.revisions), slices.Clone(r.streams)
	c.operations, c.watches = cloneCalls(r.operations), cloneCalls(r.watches)
	for i := range c.streams {
		s := &c.streams[i]
		s.Creates, s.Later, s.Responses = slices.Clone(s.Creates), slices.Clone(s.Later), slices.Clone(s.Responses)
	}
	return &c
}

func cloneCalls(all [][]Call) [][]Call {
	c := make([][]Call, len(all))
	for i := range all {
		c[i] = slices.Clone(all[i])
	}
	return c
}

// Open is the call of a client of the history that has no answer yet, nil if there is none.
func (r *Recorder) Open(client int) *Call {
	all := r.operations[client]
	if n := len(all); n > 0 && !all[n-1].Over {
		return &all[n-1]
	}
	return nil
}

// SoFar is an open call as if its answer came now, from where no step tells anything else.
func (r *Recorder) SoFar(c *Call) Call {
	so := *c
	of := &r.caches[c.Cache]
	so.Answered.Cache = of.Cache
	of.since(&so.Answered.Cache, c.Asked.Step)
	of.lasting(&so.Answered.Cache, c.Asked.Step)
	return so
}

// Listed is the resourceVersion of a cache when it became ready last.
func (r *Recorder) Listed(cache int) int64 { return r.caches[cache].Listed }

// Polling is a recorder that looks at all nodes after each step: the slow way, to which a test
// holds Recorder. It is no test file, because go test would build each package above this one a
// second time for the test here.
type Polling struct{ *Recorder }

// PollingOf makes one for a system that has no other.
func PollingOf(s *testbed.System) Polling { return Polling{newRecorder(s)} }

func (Polling) Follows(testbed.Part) bool { return true }

// AfterStep implements testbed.StepObserver.
func (p Polling) AfterStep(w *sim.World, a sim.Action) {
	p.step = w.Steps()
	p.lookAtFault(a)
	p.lookAtAll(w)
	if role := p.system.Role(a.Node); role.Part == testbed.CacheNode && heard(w) > p.notified {
		p.notified, p.caches[role.Place].Heard = heard(w), p.step
	}
}
