package caches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// JustifiedRefusals judges each refusal by what was so between the request and its
// arrival at the client. A refusal is allowed if at some point in between there was
// a reason, so that a reason which had just gone does not make a violation.
//
//   - 410: etcd has compacted the revision that the client asked for. A watch may also
//     be refused if the cache has listed since, if its history may have been full
//     and have lost events (since the newest resourceVersion that the watch was sent), or if the cache compacts its history and has heard of a later
//     compaction than etcd would serve the watch after;
//   - 504: the cache was behind the revision that the request needs, in a timed run for
//     as long as a request waits, and not longer;
//   - 429: the cache was not ready, or a limit of the design may have been reached; or
//     etcd has refused the write because of a fault.
//
// A refusal says when the client may ask again: see comeback. Invalid requests (400) and
// lost connections (503) are not judged. It is exercised by refusals.
var JustifiedRefusals = testbed.RegisterProperty(&testbed.Property{
	Name: "justified-refusals", Kind: testbed.Safety,
	Promise: "A request is refused with 410 only if what it asks for is gone, with 504 only if the cache is behind for as long as requests wait, " +
		"with 429 only if the cache is not ready or has too much to do; a request that waits is refused in time, and the refusal says when to ask again.",
	Violated:  "refused without a reason",
	Labels:    map[string]string{"compacted": "refused as gone, and is there", "late": "refused too late", "retry-after": "wrong Retry-After", "too-many-requests": "refused as one request too many"},
	Past:      func(s *testbed.System) testbed.Past { return refusalsPast{newJustifiedRefusals(s)} },
	TimedPast: func(s *testbed.System) testbed.Past { return refusalsPast{newJustifiedRefusals(s)} },
	Remembers: true,
	New:       func(s *testbed.System) testbed.Judge { return newJustifiedRefusals(s) },
})

// refusalRules is what the design of a cache says about refusals.
type refusalRules struct {
	// patience is how long a request waits for the cache to be fresh.
	patience time.Duration
	// ring is how many events a cache remembers at least. For as long as fresh it
	// remembers every event, up to ringMax of them.
	ring, ringMax int
	fresh         time.Duration
	// asksEtcd: a revision that etcd does not have is refused at once. proves: a
	// consistent read waits for a proof, whatever the resourceVersion of the cache.
	// throttles: 429 stands for 504. limits: there may be too many lists. seats: there may
	// be too many requests, of which the property seats-kept says when.
	//
	// compacts: its history of events is compacted with etcd.
	// catchesUp: a watch that had no room for an event may end with a 410 later.
	asksEtcd, proves, throttles, limits, seats, compacts, catchesUp bool
	// delegates says which watches etcd serves.
	delegates dispatch.Delegation
}

func refusalRulesOf(o *cache.Options) refusalRules {
	return refusalRules{
		patience: patience(o), ring: ring(o), ringMax: max(ring(o), cmp.Or(o.RingCapacityMax, ringCapacityMax)), fresh: cmp.Or(o.EventFreshDuration, eventFreshDuration),
		asksEtcd: o.Reads.ConfirmsFuture, proves: o.ProgressRequests == progress.Echo,
		throttles: o.Reads.OnTimeout == read.OnTimeoutThrottle, limits: o.DelegatedLimit > 0, seats: o.Flow.Seats > 0,
		catchesUp: dispatch.SlowWatchers.Of(o.Watches.SlowWatchers) != nil,
		compacts:  o.Store.WatchHistory == store.WatchHistoryUntilCompacted,
		delegates: o.Watches.Delegation,
	}
}

type justifiedRefusals struct {
	system  *testbed.System
	moments *moments.Recorder
	promise promise
	timed   bool
	// grace is how much later than its patience says a refusal may arrive, with the
	// delays of each phase.
	grace [2]time.Duration
	// rules are also those of requests to etcd.
	rules perServer[refusalRules]
}

func newJustifiedRefusals(s *testbed.System) *justifiedRefusals {
	return &justifiedRefusals{
		system: s, moments: moments.Of(s), promise: promiseOf(s),
		timed: s.Params().Clock.Mode == sim.Timed, grace: graceOf(s), rules: perServer[refusalRules]{make: func(of *testbed.Server) refusalRules {
			if of == nil {
				nodes := s.Nodes()
				return refusalRulesOf(&nodes.Cache)
			}
			return refusalRulesOf(&of.Cache)
		}},
	}
}

func (j *justifiedRefusals) rulesOf(at *moments.Call) *refusalRules { return j.rules.of(at.Server) }

// Reset implements testbed.Judge.
func (*justifiedRefusals) Reset() {}

// Finding implements testbed.Judge.
func (j *justifiedRefusals) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for i, c := range j.system.Clients() {
		ops, spans := c.Operations(), c.Spans()
		for k := range ops {
			op, span, at := &ops[k], &spans[k], &j.moments.Operations(i)[k]
			if wrong := j.late(op, span, at, w.Now()); wrong != "" {
				all.Violate("late", &overdue{client: c.Name(), call: op.Call, what: sentence(op.Request), wrong: wrong})
			}
			if op.Outcome != model.Failed || !isJudged(op.Result.Err) {
				continue
			}
			all.Exercised++
			refused := &unjustified{client: c.Name(), call: op.Call, what: sentence(op.Request), code: op.Result.Err.String()}
			if refused.wrong = j.ofOperation(op, span, at); refused.wrong != "" {
				all.Violate(refused.code, refused)
			} else if refused.wrong = j.comebackOf(op, span, at).wrong(span.RetryAfter); refused.wrong != "" {
				all.Violate("retry-after", refused)
			}
		}
	}
	j.ofWatches(&all)
	return all.Finding()
}

func isJudged(c model.Code) bool {
	switch c {
	case model.Compacted, model.Future, model.TimedOut, model.TooManyRequests:
		return true
	}
	return false
}

// ofOperation says what is wrong with the refusal of an operation of the history,
// nothing if it is justified.
func (j *justifiedRefusals) ofOperation(op *model.Operation, span *workload.Span, at *moments.Call) string {
	revision := op.Request.Revision
	switch op.Result.Err {
	case model.Compacted:
		if revision == 0 && op.Request.Selection.Values != (model.ValuePattern{}) && op.Request.Limit > 0 {
			// etcd was asked page after page at the revision of its first answer.
			revision = at.Asked.Revision
		}
		// etcd refuses to compact at the same revision twice.
		if gone := revision < at.Answered.Compacted || revision == at.Answered.Compacted && op.Request.Kind == model.Compact; revision == 0 || !gone {
			return fmt.Sprintf("etcd was compacted at revision %d only", at.Answered.Compacted)
		}
	case model.Future:
		if revision <= at.Asked.Revision {
			return fmt.Sprintf("etcd was at revision %d when it was asked", at.Asked.Revision)
		}
	case model.TooManyRequests:
		return j.tooMany(op, span.Return.Sub(span.Call), at)
	case model.TimedOut:
		return j.behind(op, span.Return.Sub(span.Call), at)
	}
	return ""
}

// tooMany judges a 429.
func (j *justifiedRefusals) tooMany(op *model.Operation, took time.Duration, at *moments.Call) string {
	switch {
	case at.Cache < 0 && slices.ContainsFunc(j.system.Etcd().Failed(), func(p sim.Payload) bool { return j.moments.Same(p, at.Request) }):
		return ""
	case at.Cache < 0:
		return "etcd did not have too many requests to apply"
	case !at.WasReady() || j.rulesOf(at).limits || j.rulesOf(at).seats:
		return ""
	case j.rulesOf(at).throttles && op.Request.Freshness == model.Consistent:
		return j.behind(op, took, at)
	}
	return "the cache was ready all the time"
}

// behind judges a 504 of a cache.
func (j *justifiedRefusals) behind(op *model.Operation, took time.Duration, at *moments.Call) string {
	r := op.Request
	switch {
	case r.Freshness == model.Any:
		return "it needs no fresh cache"
	case r.Freshness == model.Consistent:
		if at.WasCurrent() && !j.rulesOf(at).proves {
			return fmt.Sprintf("the cache was as new as etcd, at RV %d, all the time", at.Asked.Cache.Version)
		}
	case r.Revision <= at.Asked.Cache.Version:
		return fmt.Sprintf("the cache was at RV %d when it was asked", at.Asked.Cache.Version)
	}
	if j.timed && took < j.rulesOf(at).patience && j.waits(op, at) {
		return fmt.Sprintf("it came after %v, and a request waits for %v", took, j.rulesOf(at).patience)
	}
	return ""
}

// waits reports whether a refused read has waited in the cache: etcd's own storage
// refuses at once.
func (j *justifiedRefusals) waits(op *model.Operation, at *moments.Call) bool {
	if op.Request.Freshness == model.Consistent {
		return true
	}
	server, known := j.promise.server(op, at)
	return known && server == wire.FromCache && at.WasReady() && !j.rulesOf(at).asksEtcd
}

func sentence(r *model.Request) string {
	switch r.Freshness {
	case model.Exact, model.NotOlderThan:
		return fmt.Sprintf("%v (%v) of revision %d", r.Kind, r.Freshness, r.Revision)
	}
	if r.Kind == model.Compact {
		return fmt.Sprintf("compaction at revision %d", r.Revision)
	}
	return fmt.Sprintf("%v (%v)", r.Kind, r.Freshness)
}

// unjustified is a refusal that there was no reason for.
type unjustified struct {
	client     string
	call       int64
	what, code string
	wrong      string
}

func (u *unjustified) String() string {
	return fmt.Sprintf("%s's %s was refused (%s), but %s", u.client, u.what, u.code, u.wrong)
}

// Concerns implements explore.Concerned.
func (u *unjustified) Concerns() explore.Concern {
	if u.call == 0 {
		return explore.Concern{Node: u.client}
	}
	return explore.Concern{Client: u.client, Call: u.call}
}
