package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Record is what happened to an informer since the world began.
type Record struct {
	// Restarts counts those of its process.
	Restarts int
	// Requests counts the WatchLists that were requested, Requested is the
	// resourceVersion of the last request.
	Requests  int
	Requested int64
	// Streamed counts the WatchLists that filled the store, Listed the LISTs that
	// did, Fallbacks those LISTs that followed a WatchList that had failed.
	Streamed, Listed, Fallbacks int
	// Checked counts the comparisons of the consistency detector. Panicked: one of
	// them found a difference, and the informer has stopped.
	Checked  int
	Panicked bool
}

// Shown is a resourceVersion that an informer had, and the API server that it was connected
// to; 0 if it had none.
type Shown struct {
	Version int64
	Server  sim.NodeID
}

// shownHistory is what an informer has shown since the world began, restarts of its process
// included. The informer does not read it, so it is part of no cell.
type shownHistory struct {
	// newest is the newest of all before the last one.
	newest, last Shown
}

// noteVersion notes that the informer has come to a resourceVersion.
func (r *Informer) noteVersion(version int64) {
	if h := &r.history; h.last.Version >= h.newest.Version {
		h.newest = h.last
	}
	r.history.last = Shown{version, r.to()}
}

// NewestBefore is the newest resourceVersion that the informer had before it came to its
// present one, or before its process restarted.
func (r *Informer) NewestBefore() Shown { return r.history.newest }

// Newest is the newest resourceVersion that the informer ever had.
func (r *Informer) Newest() int64 { return max(r.history.newest.Version, r.history.last.Version) }

// Exchange is a request that an informer sent, and what came of it: what an API
// server sees of its client. Properties judge the flow by exchanges; the informer does
// not read them, so they are part of no cell.
type Exchange struct {
	// Request is a *wire.ReadyzRequest, ListRequest or WatchRequest, and To the API
	// server that it was sent to.
	Request sim.Payload
	To      sim.NodeID
	// Process is how often the process had restarted.
	Process int
	// Sent and Over are times; both are 0 without a clock.
	Sent, Over sim.Time
	// Next is how many had been sent when it was over, so the number of the next one.
	Next int
	End  End
	// Err is the refusal, nil if End is not Refused.
	Err *wire.Error
	// Events is how many events and bookmarks came, 1 for the answer to a LIST, and
	// Version the resourceVersion of the last one, or of the LIST.
	Events  int
	Version int64
	// Complete: the LIST has no further page, or the initial events have ended.
	Complete bool
}

// End is how an exchange ended.
type End uint8

const (
	// Open: it has not.
	Open End = iota
	// Answered: the answer came.
	Answered
	// Refused: the server answered with an error, or ended the watch with one.
	Refused
	// Closed: the server ended the watch, or the call, without an error.
	Closed
	// Broken: the connection broke.
	Broken
	// Left: the informer ended it, or its process did.
	Left
)

// Exchanges are all since the world began, in the order in which they were sent. They
// must not be changed.
func (r *Informer) Exchanges() []Exchange { return r.exchanges }

// noteRequest notes a request. Its number is kept with the call or the stream.
func (r *Informer) noteRequest(env *sim.Env, req sim.Payload) int {
	r.exchanges = append(r.exchanges, Exchange{Request: req, To: r.to(), Process: r.record.Value().Restarts, Sent: env.Now()})
	return len(r.exchanges) - 1
}

// ends notes the end of an exchange, unless it has one.
func (r *Informer) ends(env *sim.Env, i int, e End) {
	if x := &r.exchanges[i]; x.End == Open {
		x.End, x.Over, x.Next = e, env.Now(), len(r.exchanges)
	}
}

// refused notes that a server has refused a request.
func (r *Informer) refused(env *sim.Env, i int, err *wire.Error) {
	r.ends(env, i, Refused)
	r.exchanges[i].Err = err
}

// listed notes the answer to a LIST.
func (r *Informer) listed(env *sim.Env, p *wire.ListResponse) {
	i := r.rest.Value().exchange
	r.ends(env, i, Answered)
	x := &r.exchanges[i]
	x.Events, x.Version, x.Complete = 1, p.ResourceVersion, p.Continue == ""
}

// watched notes an event or a bookmark.
func (r *Informer) watched(e *wire.WatchEvent) {
	x := &r.exchanges[r.stream.Value().exchange]
	x.Events++
	x.Version = e.ResourceVersion
	x.Complete = x.Complete || e.InitialEventsEnd
}

// hangsUp notes that a connection has gone.
func (r *Informer) hangsUp(env *sim.Env, i int, p sim.Payload) {
	if h, ok := p.(*sim.Hangup); ok && h.Broken {
		r.ends(env, i, Broken)
	} else {
		r.ends(env, i, Closed)
	}
}

// noteEnd notes the end of all that a process had open.
func (r *Informer) noteEnd(env *sim.Env) {
	for i := range r.exchanges {
		r.ends(env, i, Left)
	}
}

// This is the Reflector's data consistency detector: it compares the objects of a
// WatchList with a LIST of exactly the same resourceVersion.

// checkPeriod is the time between two tries. Their number has no limit: if the
// revision is compacted in etcd, the Reflector waits for ever.
const checkPeriod = time.Second

func (r *Informer) sendCheck(env *sim.Env) {
	version := r.check.Get(env)
	env.Under(r.cause)
	r.ask(env, &wire.ListRequest{Prefix: r.cfg.Prefix, ResourceVersion: version, Match: wire.MatchExact, Selector: r.selector(env)})
}

func (r *Informer) checkFailed(env *sim.Env) {
	env.Cover(checkFailed)
	env.Arm(timerCheckAgain, checkPeriod)
}

// compare ends the check. Upstream a difference is a panic.
func (r *Informer) compare(env *sim.Env, p *wire.ListResponse) {
	s, record := r.stream.Value(), r.record.Change(env)
	record.Checked++
	if r.same(env, p.Items) {
		env.Cover(checkPassed)
		env.Release(s.conn)
		r.streamed(env)
		if s.conn == sim.NoConn {
			r.watchClosed(env)
		}
		return
	}
	env.Cover(checkPanicked)
	detectorPanics.Say(env, *r.check.Value())
	r.leave(env)
	record.Panicked = true
	r.state.Set(env, statePanicked)
}

// same compares the temporary store with a list, in key order.
func (r *Informer) same(env *sim.Env, list []*wire.KeyValue) bool {
	streamed := r.temporary.Read(env)
	if streamed.Len() != len(list) {
		return false
	}
	i := 0
	streamed.Ascend(func(kv *wire.KeyValue) bool {
		listed := *list[i]
		if r.cfg.Deviations.ComparesTransformed {
			listed.Value = ""
		}
		if *kv != listed {
			return false
		}
		i++
		return true
	})
	return i == len(list)
}
