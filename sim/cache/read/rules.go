package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
)

// rules are what the options chose, one implementation for each seam.
type rules struct {
	freshness       Freshener
	onTimeout       TimeoutRule
	notifyDetection NotifyDetector
	revision        RevisionRequest
	sharing         Sharing
	pagination      Paginator
	fallback        Fallback
	list            request.ListRules
	revisionSource  RevisionSource
	watchRevision   RevisionSource
	lock            Lock
}

func newRules(o Options) rules {
	return rules{
		freshness:       Freshnesses.Of(o.Freshness),
		onTimeout:       Timeouts.Of(o.OnTimeout),
		notifyDetection: NotifyDetectors.Of(o.NotifyDetection)(),
		revision:        RevisionRequests.Of(o.CurrentRevision),
		sharing:         RevisionSharings.Of(o.RevisionSharing),
		pagination:      Paginations.Of(o.Pagination)(),
		fallback:        Fallbacks.Of(o.DynamicFallback)(),
		list:            request.ListRules{Continue: request.ContinueRules.Of(o.ContinueWithVersion), MostRecent: request.MostRecentRules.Of(o.MostRecent)},
		revisionSource:  RevisionSources.Of(o.CurrentRV)(),
		watchRevision:   WatchRevisionSources.Of(o.WatchRV)(),
		lock:            Locks.Of(o.FreshnessLock)(),
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
