package cache

import "fmt"

// Design is a named set of options.
type Design struct {
	Name    string
	Summary string
	Options Options
}

var designs = []Design{
	{"kep-2340", "a consistent LIST waits until the cache is as new as etcd was; 504 after 3 s (KEP-2340)",
		Options{}},
	{"kep-2340-fallback", "the same, but etcd answers after 3 s (Kubernetes 1.31 and later)",
		Options{OnTimeout: OnTimeoutFallback}},
	{"direct", "etcd answers every LIST and GET; the cache serves watches only",
		Options{Freshness: FreshnessDirect}},
	{"stale", "a LIST without resourceVersion is answered like one with \"0\": from the cache, however old (#59848)",
		Options{Freshness: FreshnessNone}},
	{"single-request", "kep-2340 with one progress request for each waiting read instead of one every 100 ms",
		Options{ProgressRequests: ProgressOnce}},
	{"draft-2019", "etcd tells of its progress every 250 ms by itself; 504 after 3 s, and all pages are etcd's (the first draft of KEP-2340)",
		Options{ProgressRequests: ProgressNotify, NotifyDetection: NotifyDetected, Pagination: PaginateInEtcd}},
	{"progress-echo", "the progress that echoes a read's id is its proof of freshness: no revision is read (an idea of the first draft)",
		Options{ProgressRequests: ProgressEcho}},
	{"accumulated-reads", "kep-2340 with one revision read for all lists of 10 ms (an idea of the first draft)",
		Options{RevisionSharing: RevisionAccumulated}},
	{"dynamic-fallback", "kep-2340, but etcd answers while the cache is slow (KEP-2340, Alternatives)",
		Options{OnTimeout: OnTimeoutFallback, DynamicFallback: FallbackByWait}},
	{"kep-4988", "kep-2340 with snapshots for exact reads and later pages; a failed consistency check sends those to etcd (KEP-4988, beta)",
		Options{
			OnTimeout: OnTimeoutFallback,
			Snapshots: SnapshotOptions{Snapshotting: SnapshotsOn, ConsistencyChecker: ConsistencyCheckerFallback},
		}},
	{"kep-3157", "a watch with initial events begins at once, and the bookmark timer finds their end (KEP-3157)",
		Options{WatchList: WatchListOptions{InitialEventsEnd: EndByTimer}}},
	{"v0.37.2", "what k8s.io/apiserver v0.37.2 ships, with its check of etcd's version (reflector-list=watch-list adds how it starts by default)",
		Options{
			OnTimeout: OnTimeoutFallback, ContinueWithVersion: ContinueRefusesVersion,
			Snapshots: SnapshotOptions{Snapshotting: SnapshotsOn, CompactionNotice: CompactionPolled, LateSnapshot: LateSnapshotKept, MarkConsistent: MarkConsistentUnlocked, ConsistencyChecker: ConsistencyCheckerFallback},
			Guard:     GuardOptions{VersionCheck: VersionCheckShipped},
		}},
}

// Designs lists the designs that the package knows, in a fixed order.
func Designs() []Design { return append([]Design(nil), designs...) }

// ForDesign returns the options of a design. It returns an error that lists
// the designs if there is none of that name.
func ForDesign(name string) (Options, error) {
	var names []string
	for _, d := range designs {
		if d.Name == name {
			return d.Options, nil
		}
		names = append(names, d.Name)
	}
	return Options{}, fmt.Errorf("cache: no design %q; there are %q", name, names)
}
