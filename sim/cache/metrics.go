package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// Metrics of reads. Names that begin with apiserver_ or etcd_ are Kubernetes',
// and measure what they measure there; the label "for" is added here.
var (
	readWait = sim.NewMetric("apiserver_watch_cache_read_wait_seconds", sim.Nanoseconds,
		"how long reads waited that found the cache not fresh enough, those that timed out included")
	// Upstream leaves reads out that do not wait, so that a cache which is mostly
	// fresh looks no better than one that never is.
	consistentReadWait = sim.NewMetric("consistent_read_wait_seconds", sim.Nanoseconds,
		"the same over all consistent LISTs, with 0 for those that found the cache fresh")
	listDuration = sim.NewMetric(`apiserver_request_duration_seconds{verb="LIST"}`, sim.Nanoseconds,
		"from the arrival of a LIST at the API server to its answer, refusals included")
	getDuration = sim.NewMetric(`apiserver_request_duration_seconds{verb="GET"}`, sim.Nanoseconds,
		"the same for GETs")

	listsServed = sim.NewCounter("apiserver_cache_list_total", sim.Counted,
		"LISTs of any kind that the cache served")
	readServed = sim.NewCounter(`apiserver_watch_cache_consistent_read_total{success="true",fallback="false"}`, sim.Counted,
		"consistent LISTs that the cache served")
	readFellBack = sim.NewCounter(`apiserver_watch_cache_consistent_read_total{success="true",fallback="true"}`, sim.Counted,
		"consistent LISTs that etcd served after the cache had timed out")
	fallbackFailed = sim.NewCounter(`apiserver_watch_cache_consistent_read_total{success="false",fallback="true"}`, sim.Counted,
		"consistent LISTs that etcd refused after the cache had timed out")
	fallbackSkipped = sim.NewCounter(`apiserver_watch_cache_consistent_read_total{success="false",fallback="skipped"}`, sim.Counted,
		"consistent LISTs that were told to come again after the cache had timed out")
	readRefused = sim.NewCounter(`apiserver_watch_cache_consistent_read_total{success="false",fallback="false"}`, sim.Counted,
		"consistent LISTs that were refused")
)

// Metrics of progress.
var (
	progressRequestsSent = sim.NewCounter("etcd_progress_requests_total", sim.Counted,
		"requests for a progress notification")
	bookmarksReceived = sim.NewCounter("etcd_bookmark_total", sim.Counted,
		"progress notifications that the cache took in")
)

// operation is what is asked of etcd on behalf of a read.
func (r *read) operation() traffic.Operation {
	switch {
	case r.state == readCurrentRevision:
		return traffic.CurrentRevision
	case r.get != nil:
		return traffic.GetForClient
	case r.exact > 0:
		return traffic.ListExact
	}
	return traffic.ListForClient
}

// measureWait is told of every wait when it ends.
func (c *Cache) measureWait(env *sim.Env, r *read) {
	waited := int64(env.Now() - r.began)
	env.Record(readWait, waited)
	if r.list != nil && r.consistent {
		env.Record(consistentReadWait, waited)
	}
}

// measureNoWait is told of every read that finds the cache fresh.
func (c *Cache) measureNoWait(env *sim.Env, r *read) {
	if r.list != nil && r.consistent && c.cfg.Freshness == FreshnessConsistent {
		env.Record(consistentReadWait, 0)
	}
}

// measureRead is told of every answer to a read.
func (c *Cache) measureRead(env *sim.Env, r *read, answer sim.Payload) {
	if !c.timed {
		return
	}
	took := int64(env.Now() - r.asked)
	switch {
	case r.get != nil:
		env.Record(getDuration, took)
	case r.list != nil:
		env.Record(listDuration, took)
		if _, served := answer.(*wire.ListResponse); served && r.origin == wire.FromCache {
			env.Add(listsServed, 1)
		}
		if r.consistent && c.cfg.Freshness == FreshnessConsistent && r.origin != wire.FromEtcd {
			env.Add(consistentReadTotal(r, answer), 1)
		}
	}
}

func consistentReadTotal(r *read, answer sim.Payload) sim.Metric {
	err, failed := answer.(*wire.Error)
	switch {
	case r.origin == wire.FromFallback && failed:
		return fallbackFailed
	case r.origin == wire.FromFallback:
		return readFellBack
	case failed && r.expired && err.Code == wire.TooManyRequests:
		return fallbackSkipped
	case failed:
		return readRefused
	}
	return readServed
}
