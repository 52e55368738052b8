package caches

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// failed is the error that ended a watch, nil if there was none.
func failed(events []*wire.WatchEvent) *wire.Error {
	if n := len(events); n > 0 && events[n-1].Type == wire.Failed {
		return events[n-1].Err
	}
	return nil
}

// refusedWatch is a watch that ended with an error.
type refusedWatch struct {
	client string
	// from is the resourceVersion of the request, and needed the one that the cache
	// has to reach before it sends initial events; 0 is none.
	from, needed int64
	// newest: initial events of the newest state were asked for.
	newest bool
	// present: only what changes from now on was asked for, which begins at a revision
	// of etcd that the cache reads; from is what etcd was at when it was asked.
	present bool
	// delegated: etcd serves the watch.
	delegated bool
	err       *wire.Error
	at        *moments.Call
}

// ofWatches judges the watches of raw clients. Informers do not record what they are
// refused.
func (j *justifiedRefusals) ofWatches(all *testbed.Tally) {
	for i, c := range j.system.Watchers() {
		for k := range c.Streams() {
			s := &c.Streams()[k]
			if err := failed(s.Events); err != nil {
				at := &j.moments.Watches(i)[k]
				delegated := j.rulesOf(at).delegates.Serves(&wire.WatchRequest{ResourceVersion: s.From})
				j.ofWatch(all, &refusedWatch{client: c.Name(), from: sentUpTo(s.From, s.Events), delegated: delegated, err: err, at: at})
			}
		}
	}
	at := len(j.system.Watchers())
	for i, c := range j.system.ListWatchers() {
		j.ofStreams(all, c.Name(), at+i, c.Streams())
	}
	at += len(j.system.ListWatchers())
	for i, c := range j.system.DrawnWatchers() {
		j.ofStreams(all, c.Name(), at+i, c.Streams())
	}
}

// sentUpTo is the newest resourceVersion that a client was sent which knew of one before: a watch
// may also end with a 410 when the history loses what comes next.
func sentUpTo(before int64, events []*wire.WatchEvent) int64 {
	for _, e := range events {
		before = max(before, e.ResourceVersion)
	}
	return before
}

func (j *justifiedRefusals) ofStreams(all *testbed.Tally, client string, at int, streams []workload.ListStream) {
	for k := range streams {
		s := &streams[k]
		err := failed(s.Events)
		if err == nil {
			continue
		}
		w := &refusedWatch{client: client, from: max(s.Request.ResourceVersion, 0), err: err, at: &j.moments.Watches(at)[k]}
		w.delegated = j.rulesOf(w.at).delegates.Serves(s.Request)
		if s.IsList() || asksForInitialEvents(s.Request, w.at) {
			w.newest, w.needed = s.Request.ResourceVersion == wire.Unset, w.from
			if w.from = j.begunAt(w); w.from > 0 && s.End >= 0 {
				w.from = sentUpTo(w.from, s.Events[s.End:])
			}
		} else if s.Request.ResourceVersion == wire.Unset && s.Request.SendInitialEvents == wire.SendInitialEventsFalse {
			w.present, w.from = true, w.at.Asked.Revision
		} else if w.from = sentUpTo(w.from, s.Events); w.from == 0 {
			w.from = j.begunAt(w)
		}
		j.ofWatch(all, w)
	}
}

// begunAt is the oldest state with which a cache may have begun a watch that ends with a 410 because what comes next is gone from its
// history, as only watches do that catch up; 0 is none.
func (j *justifiedRefusals) begunAt(w *refusedWatch) int64 {
	if w.err.Code != wire.ErrCompacted || !j.rulesOf(w.at).catchesUp {
		return 0
	}
	return w.at.Asked.Cache.Version
}

// asksForInitialEvents reports whether an API server takes a watch without a resourceVersion for one with initial events,
// which waits until the cache is fresh: with the gate WatchList Kubernetes does (SetListOptionsDefaults). The cache of this
// module does not, a node of another kind may.
func asksForInitialEvents(r *wire.WatchRequest, at *moments.Call) bool {
	return at.Server != nil && at.Server.Design.OwnNode() && r.ResourceVersion == wire.Unset && r.SendInitialEvents == wire.SendInitialEventsUnset
}

func (j *justifiedRefusals) ofWatch(all *testbed.Tally, r *refusedWatch) {
	switch r.err.Code {
	case wire.ErrCompacted, wire.TooLargeResourceVersion, wire.TooManyRequests:
	default:
		return
	}
	all.Exercised++
	refused := &unjustified{client: r.client, what: r.String(), code: r.err.Code.String()}
	if refused.wrong = j.wrongWatch(r); refused.wrong != "" {
		all.Violate(refused.code, refused)
	} else if refused.wrong = j.comebackOfWatch(r).wrong(r.err.RetryAfter); refused.wrong != "" {
		all.Violate("retry-after", refused)
	}
}

func (r *refusedWatch) String() string {
	switch {
	case r.present:
		return "watch from the present on"
	case r.newest:
		return "watch with initial events of the newest state"
	case r.from == 0:
		return fmt.Sprintf("watch with initial events of RV %d or later", r.needed)
	}
	return fmt.Sprintf("watch after RV %d", r.from)
}

func (j *justifiedRefusals) wrongWatch(r *refusedWatch) string {
	switch r.err.Code {
	case wire.TooManyRequests:
		if r.at.WasReady() && !j.rulesOf(r.at).seats {
			return "the cache was ready all the time"
		}
	case wire.TooLargeResourceVersion:
		switch {
		case r.newest && r.at.WasCurrent() && !j.rulesOf(r.at).proves:
			return fmt.Sprintf("the cache was as new as etcd, at RV %d, all the time", r.at.Asked.Cache.Version)
		case !r.newest && r.needed <= r.at.Asked.Cache.Version:
			return fmt.Sprintf("the cache was at RV %d when it was asked", r.at.Asked.Cache.Version)
		}
	case wire.ErrCompacted:
		return j.goneForWatch(r)
	}
	return ""
}

// eventFreshDuration is how long events are kept, whatever the capacity of the history was
// (DefaultEventFreshDuration of k8s.io/apiserver's storage/cacher): it doubles instead of losing a younger one,
// up to ringCapacityMax (defaultUpperBoundCapacity). fresh-duration and ring-max may say otherwise.
const (
	eventFreshDuration = 75 * time.Second
	ringCapacityMax    = 100 * 1024
)

// goneForWatch judges a 410 of a watch. A cache has all events since its list, up to
// its capacity, and timed all that are young, up to the greatest capacity.
func (j *justifiedRefusals) goneForWatch(r *refusedWatch) string {
	switch {
	case r.from == 0 && r.delegated:
		// etcd lists, and watches from the revision of the list.
		if r.at.Asked.Revision >= r.at.Answered.Compacted {
			return fmt.Sprintf("etcd was compacted at revision %d only, at which it was when it was asked", r.at.Answered.Compacted)
		}
	case r.from == 0:
		return "initial events need no history"
	case j.system.Etcd().Waits():
		// The member that serves watches may have applied more than the log shows.
	case r.delegated:
		if r.from >= r.at.Answered.Compacted {
			return fmt.Sprintf("etcd was compacted at revision %d only", r.at.Answered.Compacted)
		}
	case j.rulesOf(r.at).compacts && r.from+1 < r.at.Answered.Cache.Compacted:
		// etcd refuses what begins below the compacted revision, too.
	case r.at.Answered.Cache.Hidden:
		// It may have listed anew.
	case r.from >= r.at.Answered.Cache.Listed:
		n := changesUnder(j.system.Truth().Log(), j.system.Caches()[r.at.Cache].Prefix(), r.from, r.at.Answered.Newest())
		rules := j.rulesOf(r.at)
		if next, ok := j.moments.Reached(r.from + 1); j.timed && ok && n < rules.ringMax && r.at.Answered.Time.Sub(next) < rules.fresh {
			return fmt.Sprintf("the cache has listed at RV %d, and everything after RV %d is younger than %v", r.at.Answered.Cache.Listed, r.from, rules.fresh)
		}
		if n < rules.ring {
			return fmt.Sprintf("the cache has listed at RV %d, and remembers %d events, of which there were %d since RV %d", r.at.Answered.Cache.Listed, rules.ring, n, r.from)
		}
	}
	return ""
}

// changesUnder is how many changes of objects under a prefix there were after a
// revision and up to another.
func changesUnder(log *model.Log, prefix string, after, upTo int64) int {
	n := 0
	for rev := max(after, log.First()) + 1; rev <= min(upTo, log.Revision()); rev++ {
		before, now := log.At(rev-1), log.At(rev)
		now.Ascend(prefix, model.PrefixEnd(prefix), func(it *model.Item) bool {
			if it.ModRevision == rev {
				n++
			}
			return true
		})
		before.Ascend(prefix, model.PrefixEnd(prefix), func(it *model.Item) bool {
			if now.Get(it.Key) == nil {
				n++
			}
			return true
		})
	}
	return n
}
