package known

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// IsLibrary is about the design.
var IsLibrary = testbed.NewCondition("the cache is etcd's own library", func(s *testbed.Setup) bool {
	d, err := cache.FindDesign(s.Params.Cache)
	return err == nil && d.SpeaksEtcd
})

// What etcd's own cache library does, whatever the scenario.
func init() {
	for _, rows := range [][]testbed.Row{
		When(LeavesOutNextProgress).RarelyViolates(reads.AnswersInTime, reads.Answered, reads.RecoversInTime, watches.BookmarksCome).
			Because("progress up to the revision that a watcher needs next is not sent to it (findings/pages/library-skips-progress.md)"),
		When(EndsStoreWatcher).RarelyViolates(watches.KeepUp, watches.BookmarksCome, caches.CatchUp).
			Because("the watcher of the store is ended with the others, and the cache is not ready any more (findings/pages/library-never-ready-again.md)"),
		When(IsLibrary).RarelyViolates(caches.DeliveredUndelayed).
			Because("a watcher that lags waits for the next turn of resyncLoop, of which there is one in 50 ms"),
		When(IsLibrary).RarelyViolates(reads.ServedWithoutMember).
			Because("the library asks for no leader, so that a member which has lost it goes on serving the watch"),
	} {
		Register(rows...)
	}
}
