package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
)

// rules are what the options chose, one implementation for each seam.
type rules struct {
	freshness         Freshener
	onTimeout         TimeoutRule
	notifyDetection   NotifyDetector
	revision          RevisionRequest
	sharing           Sharing
	pagination        Paginator
	fallback          Fallback
	future            FutureRule
	list              request.ListRules
	isConsistent      VersionRule
	listPrefix        PrefixRule
	revisionSource    RevisionSource
	watchRevision     RevisionSource
	countsForProgress WaitRule
	nextPage          PageRule
	continuedLimit    ContinuedRule
	lock              Lock
}

func newRules(o Options) rules {
	return rules{
		freshness:         Freshnesses.Of(o.Freshness),
		onTimeout:         Timeouts.Of(o.OnTimeout),
		notifyDetection:   NotifyDetectors.Of(o.NotifyDetection)(),
		revision:          RevisionRequests.Of(o.CurrentRevision),
		sharing:           RevisionSharings.Of(o.RevisionSharing),
		pagination:        Paginations.Of(o.Pagination)(),
		fallback:          Fallbacks.Of(o.DynamicFallback)(),
		future:            FutureRevisions.Of(o.FutureRV),
		list:              request.ListRules{Continue: request.ContinueRules.Of(o.ContinueWithVersion), MostRecent: request.MostRecentRules.Of(o.MostRecent)},
		isConsistent:      ZeroVersions.Of(o.ZeroRV),
		listPrefix:        ListPrefixes.Of(o.ListPrefix),
		revisionSource:    RevisionSources.Of(o.CurrentRV)(),
		watchRevision:     WatchRevisionSources.Of(o.WatchRV)(),
		countsForProgress: GetWaits.Of(o.GetWait),
		nextPage:          NextPages.Of(o.NextPage),
		continuedLimit:    ContinuedLimits.Of(o.ContinuedLimit),
		lock:              Locks.Of(o.FreshnessLock)(),
	}
}

func (s *rules) reset(l *Limits) {
	s.notifyDetection.Reset(l)
	s.pagination.Reset(l)
	s.fallback.Reset(l)
	s.revisionSource.Reset()
	s.watchRevision.Reset()
	s.lock.Reset()
}

func (s *rules) clone() rules {
	c := *s
	c.notifyDetection = s.notifyDetection.Clone()
	c.pagination = s.pagination.Clone()
	c.fallback = s.fallback.Clone()
	c.revisionSource = s.revisionSource.Clone()
	c.watchRevision = s.watchRevision.Clone()
	c.lock = s.lock.Clone()
	return c
}

func (s *rules) cells(visit sim.CellVisitor) {
	s.notifyDetection.Cells(visit)
	s.pagination.Cells(visit)
	s.fallback.Cells(visit)
	s.revisionSource.Cells(visit)
	s.watchRevision.Cells(visit)
	s.lock.Cells(visit)
}
