package read

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Metrics of reads. Names that begin with apiserver_ or etcd_ are Kubernetes',
// and measure what they measure there; the label "for" is added here.
var (
	readWait = metric.New("apiserver_watch_cache_read_wait_seconds", metric.Nanoseconds,
		"how long reads waited that found the cache not fresh enough, those that timed out included")
	// Upstream leaves reads out that do not wait, so that a mostly fresh cache
	// looks no better than a cache that never is fresh.
	consistentReadWait = metric.New("consistent_read_wait_seconds", metric.Nanoseconds,
		"how long consistent LISTs waited until the cache was fresh, with 0 for those that found it fresh")
	// KEP-3157 names it; upstream exports the two resourceVersions apart.
	cacheLag = metric.New("apiserver_watch_cache_lag", metric.Counted,
		"revisions by which the cache is behind etcd, whenever it hears etcd's revision")
	listDuration = metric.New(`apiserver_request_duration_seconds{verb="LIST"}`, metric.Nanoseconds,
		"from the arrival of a LIST at the API server to its answer, refusals included")
	getDuration = metric.New(`apiserver_request_duration_seconds{verb="GET"}`, metric.Nanoseconds,
		"from the arrival of a GET at the API server to its answer, refusals included")

	listsServed = metric.NewCounter("apiserver_cache_list_total", metric.Counted,
		"LISTs of any kind that the cache served")
	// Upstream's label is the index, "f:spec.nodeName" for one; here a resource has one.
	fetchedAll = metric.NewCounter(`apiserver_cache_list_fetched_objects_total{index=""}`, metric.Counted,
		"objects that the cache looked at for LISTs without an index")
	fetchedByIndex = metric.NewCounter(`apiserver_cache_list_fetched_objects_total{index="field"}`, metric.Counted,
		"objects that the cache looked at for LISTs by an index")
	returned = metric.NewCounter("apiserver_cache_list_returned_objects_total", metric.Counted,
		"objects in the LISTs that the cache served")
	storageFetched = metric.NewCounter("apiserver_storage_list_fetched_objects_total", metric.Counted,
		"objects that etcd sent for LISTs of clients")
	storageReturned = metric.NewCounter("apiserver_storage_list_returned_objects_total", metric.Counted,
		"objects in the LISTs that etcd served")
	readServed = metric.NewCounter(`apiserver_watch_cache_consistent_read_total{success="true",fallback="false"}`, metric.Counted,
		"consistent LISTs that the cache served")
	readFellBack = metric.NewCounter(`apiserver_watch_cache_consistent_read_total{success="true",fallback="true"}`, metric.Counted,
		"consistent LISTs that etcd served after the cache had timed out")
	fallbackFailed = metric.NewCounter(`apiserver_watch_cache_consistent_read_total{success="false",fallback="true"}`, metric.Counted,
		"consistent LISTs that etcd refused after the cache had timed out")
	fallbackSkipped = metric.NewCounter(`apiserver_watch_cache_consistent_read_total{success="false",fallback="skipped"}`, metric.Counted,
		"consistent LISTs that were refused with Retry-After when the cache had timed out")
	readRefused = metric.NewCounter(`apiserver_watch_cache_consistent_read_total{success="false",fallback="false"}`, metric.Counted,
		"consistent LISTs that were refused")
)

// isCounted: the read is one of the consistent reads that upstream counts.
func (r *Read) isCounted() bool { return r.consistent && r.d.freshness.NeedsProgress }

// measureWait is called at the end of every wait.
func (r *Read) measureWait(env *sim.Env) {
	waited := int64(env.Now() - r.began)
	env.Record(readWait, waited)
	if r.list != nil && r.consistent {
		env.Record(consistentReadWait, waited)
	}
}

// measure is called with every answer to a read.
func (r *Read) measure(env *sim.Env, answer sim.Payload) {
	if env.Mode() != sim.Timed {
		return
	}
	took := int64(env.Now() - r.arrived)
	switch {
	case r.get != nil:
		env.Record(getDuration, took)
	case r.list != nil:
		env.Record(listDuration, took)
		if list, served := answer.(*wire.ListResponse); served && r.origin == wire.FromCache {
			env.Add(listsServed, 1)
			env.Add(returned, int64(len(list.Items)))
		} else if served {
			env.Add(storageReturned, int64(len(list.Items)))
		}
		if r.isCounted() && r.origin != wire.FromEtcd {
			env.Add(r.total(answer), 1)
		}
	}
}

// total is the counter of consistent reads that came to such an end.
func (r *Read) total(answer sim.Payload) metric.Metric {
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

var (
	listInvalid          = sim.NewCoveragePoint("cache: invalid list refused")
	listDelegated        = sim.NewCoveragePoint("cache: list delegated to etcd")
	listDelegatedUnready = sim.NewCoveragePoint("cache: list delegated to etcd while not ready")
	listRefusedUnready   = sim.NewCoveragePoint("cache: list refused while not ready")
	listFromSnapshot     = sim.NewCoveragePoint("cache: list answered from a snapshot")
	futureConfirmed      = sim.NewCoveragePoint("cache: etcd asked whether a future revision exists")
	snapshotGone         = sim.NewCoveragePoint("cache: snapshot gone while a list waited")
	futureUnknown        = sim.NewCoveragePoint("cache: future revision that etcd does not have")
	revisionShared       = sim.NewCoveragePoint("cache: revision read for several reads")
	getInvalid           = sim.NewCoveragePoint("cache: invalid get refused")
	getDelegated         = sim.NewCoveragePoint("cache: get delegated to etcd")
	getDelegatedUnready  = sim.NewCoveragePoint("cache: get delegated to etcd while not ready")
	readFreshAtOnce      = sim.NewCoveragePoint("cache: read served without waiting")
	readWaits            = sim.NewCoveragePoint("cache: read waits")
	readFreshAfterWait   = sim.NewCoveragePoint("cache: read served after waiting")
	readFreshAtTheLast   = sim.NewCoveragePoint("cache: read served although its time was up")
	readWokenEarly       = sim.NewCoveragePoint("cache: read woken and still too early")
	readTimedOut         = sim.NewCoveragePoint("cache: read that is not consistent timed out")
	consistentRejected   = sim.NewCoveragePoint("cache: consistent list rejected after the timeout")
	consistentThrottled  = sim.NewCoveragePoint("cache: consistent list throttled after the timeout")
	consistentFallback   = sim.NewCoveragePoint("cache: consistent list falls back to etcd after the timeout")
	consistentUnnotified = sim.NewCoveragePoint("cache: consistent list sent to etcd, no recent progress notification")
	consistentTooSlow    = sim.NewCoveragePoint("cache: consistent list sent to etcd because the cache was slow")
	servedUnready        = sim.NewCoveragePoint("cache: read served while not ready")
	etcdRefused          = sim.NewCoveragePoint("cache: etcd refused a read")
	etcdUnavailable      = sim.NewCoveragePoint("cache: connection to etcd lost during a read")
	etcdTooOld           = sim.NewCoveragePoint("cache: etcd older than the resourceVersion asked for")

	listDoesNotFit     = sim.NewCoveragePoint("cache: list that does not fit one page sent to etcd")
	limitIgnored       = sim.NewCoveragePoint("cache: list with a limit answered whole")
	listByIndex        = sim.NewCoveragePoint("cache: list by a field index")
	listFiltered       = sim.NewCoveragePoint("cache: list filtered object by object")
	listSingle         = sim.NewCoveragePoint("cache: list of one object")
	listKeysOnly       = sim.NewCoveragePoint("cache: list of keys alone")
	selectionGoesOn    = sim.NewCoveragePoint("cache: delegated list asks for another page to select from")
	delegationLimited  = sim.NewCoveragePoint("cache: list refused, too many are with etcd")
	selectionCompacted = sim.NewCoveragePoint("cache: page refused because of a compaction, and what it had found so far with it")
	pageCompacted      = sim.NewCoveragePoint("cache: page refused because of a compaction, with the token of the rest")
	requestTimedOut    = sim.NewCoveragePoint("cache: request out of time before etcd was asked")
)

// ListTruncated: the answer to a list ends before its objects do.
var ListTruncated = sim.NewCoveragePoint("cache: list with a limit answered in part")

// revisionAsked counts the questions for etcd's revision.
var revisionAsked = [...]sim.CoveragePoint{
	byKey:        sim.NewCoveragePoint("cache: revision read by a key"),
	byCount:      sim.NewCoveragePoint("cache: revision read by a count"),
	byEmptyRange: sim.NewCoveragePoint("cache: revision read by a range without objects"),
}
