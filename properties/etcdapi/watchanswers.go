package etcdapi

import (
	"fmt"
	"strconv"

	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// WatchAnswers judges what comes on a stream of etcd's watch API beside events: that each
// create request is answered once, that a watch is canceled only if the client asked for
// it, if it was refused, or if the history that it still wants is compacted, and that
// nothing comes to a watch behind that. A watch whose first revision is compacted when it is asked for is sent no
// event: it is canceled with a revision at which etcd was compacted, once, and with a clock within a turn of
// syncWatchersLoop. Progress of all watches comes only if the client
// asks for it, and once for a request at most. A response has a revision that etcd has reached,
// and none behind its events. That headers never go back is not promised: a response that
// had to wait has the revision of its events. Events of several revisions are history that a watch catches up on, of
// which a response has a batch at most (watchBatchMaxRevs). When nothing more can happen, every request
// on an open stream is answered. It is exercised by responses.
var WatchAnswers = testbed.RegisterProperty(&testbed.Property{
	Name: "watch-answers", Kind: testbed.Safety,
	Promise: "On a stream of etcd's watch API each request is answered once, a watch is canceled only with a reason, " +
		"progress of all watches comes once for a request at most, and a response has a revision that etcd has reached and that is not behind its events, which are of a batch of revisions at most.",
	Violated: "wrong answer on a watch stream",
	Labels: map[string]string{
		"late": "compaction told too late", "created": "wrong Created", "unasked": "Created without a request", "canceled": "canceled without a reason", "compacted": "compacted without a reason",
		"ended": "response to a watch that ended", "too-often": "progress without a request", "revision": "wrong revision", "batch": "more than a batch of history", "unanswered": "request not answered",
	},
	Weight:  1,
	Monitor: testbed.Monitor{Runs: testbed.EveryRun},
	New:     testbed.RecordedBy(newWatchAnswers, (*watchAnswers).judge),
})

type watchAnswers struct {
	system   *testbed.System
	rules    workload.WatchRules
	evidence *evidence.Recorder
	options  v3rpc.Options
	// batch is how many revisions a response has events of at most.
	batch int
	// told is how long it may take until a watch is told of a compaction.
	told testbed.Bound
	// check is the one of the last stream: a campaign judges many.
	check streamCheck
}

func newWatchAnswers(s *testbed.System) *watchAnswers {
	nodes := s.Nodes()
	// By its name, as it is set. It is 0 if it is not.
	batch, err := strconv.Atoi(nodes.Value("sync-batch"))
	if err != nil || batch == 0 {
		batch = historyBatch
	}
	return &watchAnswers{
		system: s, evidence: evidence.Of(s), options: nodes.Etcd.Watch, rules: s.WatchRules(), batch: batch,
		told: s.DeliveryBound(),
	}
}

func (j *watchAnswers) judge(w *sim.World, all *testbed.Tally) {
	for i, c := range j.system.Streams() {
		of := j.judged(all, i)
		if j.system.IsOver(w) && w.Mode() == sim.Untimed && !c.Ended() {
			of.unanswered(j.recvLoop(c))
		}
		if w.Mode() == sim.Timed {
			of.late(w.Now(), sim.Time(j.system.Params().Faults.For), &j.told)
		}
	}
}

// recvLoop says where recvLoop of a stream is.
func (j *watchAnswers) recvLoop(c *workload.EtcdWatch) string {
	for _, m := range j.system.Members() {
		if at := m.Server.RecvLoop(c.Conn()); at != "" {
			return "; recvLoop of its stream " + at
		}
	}
	return ""
}

// judged holds the responses so far on a stream against its requests.
func (j *watchAnswers) judged(all *testbed.Tally, i int) *streamCheck {
	c, at := j.system.Streams()[i], j.evidence.Stream(i)
	j.check.begin(all, c, at, &j.options, j.rules)
	j.check.batch, j.check.compactedAt = j.batch, j.compactedAt
	for k := range c.Responses() {
		j.check.now = c.Responses()[k].At
		j.check.response(c.Responses()[k].WatchResponse, at.Responses[k])
	}
	return &j.check
}

// compactedAt reports whether etcd was ever compacted at a revision.
func (j *watchAnswers) compactedAt(revision int64) bool {
	for c := range j.system.Truth().Committed() {
		if r, ok := c.Request.(*wire.CompactionRequest); ok && r.Revision == revision {
			return true
		}
	}
	return revision == j.system.Truth().Log().At(j.system.Truth().Log().First()).Compacted()
}

// Digest is what later responses on a stream are held against: of a request that waits for its
// answer where etcd was when it was sent, of a watch which revision it still wants, and how much progress
// of all watches is still to come.
func (j *watchAnswers) Digest(d sim.Digest) sim.Digest {
	for i, c := range j.system.Streams() {
		if c.Ended() {
			continue
		}
		var all testbed.Tally
		of := j.judged(&all, i)
		d = d.Int(int64(c.ProgressRequests() - of.progress))
		for k := range of.watches {
			d = of.watches[k].digest(d)
		}
	}
	return d
}

// digest mixes in what later responses to a request are held against.
func (s *watchState) digest(d sim.Digest) sim.Digest {
	if !s.sent {
		return d.Bool(false)
	}
	d = d.Int(s.ID).Bool(s.answered).Bool(s.ended)
	if !s.answered {
		d = d.Int(s.asked.Visible).Bool(s.early)
	}
	if s.ended {
		return d
	}
	d = d.Int(s.wants).Int(s.asked.Compacted).Bool(s.told).Bool(s.leaving != nil)
	if s.leaving != nil {
		d = d.Int(s.leaving.Visible)
	}
	return d
}

// streamCheck holds the responses on one stream against its requests.
type streamCheck struct {
	all     *testbed.Tally
	client  *workload.EtcdWatch
	watches []watchState
	// progress is how many responses spoke for all watches.
	progress int
	// batch is how many revisions a response has events of at most.
	batch int
	// compactedAt reports whether etcd was ever compacted at a revision.
	compactedAt func(revision int64) bool
	// now is when the response came that is judged.
	now sim.Time
	// canceledFirst: Canceled may overtake Created, which no release does.
	canceledFirst bool
}

// watchState is what is known of one create request.
type watchState struct {
	workload.Watch
	// asked is when it was sent; sent is false if it was not.
	asked evidence.Etcd
	sent  bool
	// leaving is when its cancel request was sent, if it was.
	leaving *evidence.Etcd
	// answered: Created has come; ended: so has Canceled, as the answer to the client's
	// cancel request.
	answered, ended bool
	// early: Canceled came before Created.
	early bool
	// told: it was canceled because of a compaction.
	told bool
	// createdAt is when Created came, toldAt when that cancellation did.
	createdAt, toldAt sim.Time
	// wants is the first revision that it still wants.
	wants int64
}

func (of *streamCheck) begin(all *testbed.Tally, c *workload.EtcdWatch, at *evidence.Stream, o *v3rpc.Options, rules workload.WatchRules) {
	*of = streamCheck{all: all, client: c, canceledFirst: o.CreatedInOrder, watches: of.watches[:0]}
	for _, watch := range c.Watches(rules) {
		s := watchState{Watch: watch, wants: watch.StartRevision}
		when, k := at.Creates, watch.Place
		if watch.Later {
			when = at.Later
		}
		if s.sent = k < len(when); s.sent {
			s.asked = when[k]
		}
		if s.wants == 0 {
			// Created may name a later revision than the one from which on the watch
			// has its events.
			s.wants = s.asked.Visible + 1
		}
		if k := watch.CanceledBy; k >= 0 && k < len(at.Later) {
			s.leaving = &at.Later[k]
		}
		of.watches = append(of.watches, s)
	}
}

// response judges one response, which came when etcd was like this.
func (of *streamCheck) response(r *wire.WatchResponse, came evidence.Etcd) {
	of.all.Exercised++
	switch {
	case r.Revision > came.Revision:
		of.violate("revision", r, "etcd was at revision %d when it came", came.Revision)
	case r.Created:
		of.created(r)
	case r.WatchID == wire.InvalidWatchID:
		of.progress++
		switch asked := of.client.ProgressRequests(); {
		case len(r.Events) > 0 || r.Canceled:
			of.violate("ended", r, "no watch has its id")
		case of.progress > asked:
			of.violate("too-often", r, "it is number %d for all watches, and the client asked for %d", of.progress, asked)
		}
	default:
		of.toWatch(r, came)
	}
}

// created judges the answer to a create request. Accepted requests are answered in their
// order, and so are refused ones.
func (of *streamCheck) created(r *wire.WatchResponse) {
	for i := range of.watches {
		s := &of.watches[i]
		if s.ID != r.WatchID || s.answered || !s.sent {
			continue
		}
		s.answered, s.createdAt = true, of.now
		refused := s.ID == wire.InvalidWatchID
		switch {
		case r.Canceled != refused || (r.CancelReason != "") != refused:
			of.violate("created", r, "an answer says that the watch is canceled, and why, if and only if it is refused")
		case r.Revision < s.asked.Visible:
			of.violate("revision", r, "etcd was at revision %d when it was asked", s.asked.Visible)
		}
		return
	}
	of.violate("unasked", r, "the client asked for no such watch, or had its answer")
}

// live is the watch that an id means, nil if there is none.
func (of *streamCheck) live(id int64) *watchState {
	for i := range of.watches {
		if s := &of.watches[i]; s.ID == id && s.sent && (s.answered || of.canceledFirst) && (!s.ended || s.early) {
			return s
		}
	}
	return nil
}

// toWatch judges a response to one watch.
func (of *streamCheck) toWatch(r *wire.WatchResponse, came evidence.Etcd) {
	s := of.live(r.WatchID)
	switch {
	case s == nil:
		of.violate("ended", r, "there is no such watch")
	case r.CompactRevision != 0:
		of.compacted(s, r, came)
	case r.Canceled:
		of.canceled(s, r)
	default:
		of.events(s, r)
	}
}

func (of *streamCheck) compacted(s *watchState, r *wire.WatchResponse, came evidence.Etcd) {
	switch {
	case !r.Canceled:
		of.violate("compacted", r, "the watch is not canceled with it")
	case s.told:
		of.violate("ended", r, "the watch was canceled for a compaction before")
	case r.CompactRevision < s.asked.Compacted:
		of.violate("compacted", r, "etcd was compacted at revision %d when it was asked", s.asked.Compacted)
	case r.CompactRevision > came.Compacted:
		of.violate("compacted", r, "etcd was compacted at revision %d only when it came", came.Compacted)
	case r.CompactRevision <= s.wants:
		of.violate("compacted", r, "the watch wants nothing before revision %d", s.wants)
	case !of.compactedAt(r.CompactRevision):
		of.violate("compacted", r, "etcd was never compacted at revision %d", r.CompactRevision)
	}
	if !s.told {
		s.told, s.toldAt = true, of.now
	}
}

func (of *streamCheck) canceled(s *watchState, r *wire.WatchResponse) {
	s.ended, s.early = true, !s.answered
	switch {
	case s.leaving == nil:
		of.violate("canceled", r, "the client did not ask for it")
	case r.Revision < s.leaving.Visible:
		of.violate("revision", r, "etcd was at revision %d when it was asked", s.leaving.Visible)
	}
}

// historyBatch is watchBatchMaxRevs, unless sync-batch says otherwise.
const historyBatch = 1000

func (of *streamCheck) events(s *watchState, r *wire.WatchResponse) {
	switch {
	case s.told:
		of.violate("ended", r, "the watch was canceled for a compaction")
	case s.wasGone():
		of.violate("compacted", r, "the watch wants revision %d, and etcd was compacted at revision %d when it was asked", s.wants, s.asked.Compacted)
	}
	revisions, last := 0, int64(0)
	for i := range r.Events {
		rev := r.Events[i].Kv.ModRevision
		if rev != last {
			revisions, last = revisions+1, rev
		}
		if rev > r.Revision {
			of.violate("revision", r, "it has an event of revision %d", rev)
		}
		s.wants = max(s.wants, rev+1)
	}
	if revisions > of.batch {
		of.violate("batch", r, "it has events of %d revisions, and a batch is %d", revisions, of.batch)
	}
}

// unanswered finds the requests that had no answer when nothing more could happen.
func (of *streamCheck) unanswered(recvLoop string) {
	for i := range of.watches {
		switch s := &of.watches[i]; {
		case s.sent && !s.answered:
			of.noAnswer("a create request", recvLoop)
		case s.leaving != nil && s.answered && !s.ended:
			of.noAnswer(fmt.Sprintf("the cancel request for watch %d", s.ID), recvLoop)
		case s.isGone() && !s.told:
			of.noAnswer("a watch of compacted history", "")
		}
	}
}

// wasGone reports whether what a watch wants was compacted when it was asked for.
func (s *watchState) wasGone() bool { return s.asked.Compacted > 0 && s.wants < s.asked.Compacted }

// isGone reports whether a watch is to be told so.
func (s *watchState) isGone() bool {
	return s.ID != wire.InvalidWatchID && s.answered && s.leaving == nil && s.wasGone()
}

// late finds the watches that were created behind the faults and waited for too long to be told of a compaction.
func (of *streamCheck) late(now, healed sim.Time, bound *testbed.Bound) {
	for i := range of.watches {
		s := &of.watches[i]
		if !s.isGone() || s.createdAt < healed || !s.told && of.client.Ended() {
			continue
		}
		until := now
		if s.told {
			until = s.toldAt
		}
		if waited := until.Sub(s.createdAt); waited > bound.Total {
			of.all.Violatef("late", testbed.Concern{Node: of.client.Name(), Revision: s.wants},
				"%s watches from revision %d, which was compacted before, and for %v it was not told; the bound is %v: %s",
				of.client.Name(), s.wants, waited, bound.Total, bound.Derivation)
		}
	}
}

func (of *streamCheck) violate(label string, r *wire.WatchResponse, format string, args ...any) {
	about := testbed.Concern{Node: of.client.Name(), Revision: r.Revision}
	if len(r.Events) > 0 {
		about.Key = r.Events[0].Kv.Key
	}
	of.all.Violatef(label, about, "%s was sent %q to watch %d at revision %d, but "+format,
		append([]any{of.client.Name(), r.Label(), r.WatchID, r.Revision}, args...)...)
}

func (of *streamCheck) noAnswer(request, recvLoop string) {
	of.all.Violatef("unanswered", testbed.Concern{Node: of.client.Name()}, "nothing more can happen, and %s of %s has no answer%s", request, of.client.Name(), recvLoop)
}
