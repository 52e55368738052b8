package scenarios

import "slices"

// Specimen says where a bug of a cache shows: in which scenario, and which
// property finds it.
type Specimen struct {
	// Bug is its name in Bugs.
	Bug                string
	Scenario, Property string
	// Strategy with which it is looked for; empty is the one that simrun uses if
	// it is given none.
	Strategy string
	// Why it is this property that finds it.
	Why string
}

var specimens = []Specimen{
	{"kubernetes-49956", "resumed-watch", "resumable", "",
		"the event that is missed is the first that the new watch should have had"},
	{"kubernetes-58545", "resumed-watch", "ordered", "",
		"the deletion comes with an older resourceVersion than events before it"},
	{"kubernetes-59848", "several-caches", "monotonic", "",
		"each of the two caches is right about some moment; only who asks both sees time go back"},
	{"kubernetes-78029", "recreated-cache", InformerSyncs, "",
		"no event is wrong and none is out of order: there just is none, on a watch that is open"},
	{"kubernetes-114458", "busy-neighbour", Answers, "",
		"nothing that is read is wrong; reads of a quiet resource wait for another one to catch up"},
	{"kubernetes-116122", "watch-during-relist", "resumable", "pos",
		"the watch starts where its client asked, and the events up to the new list are missing"},
	{"kubernetes-117137", "watch-list-ends", WatchListEnds, "",
		"whoever streams a list waits for good, and so does everybody behind it"},
	{"kubernetes-122805", "informer-cold-start", InformerSyncs, "",
		"nothing more can happen, and an informer still waits for the end of its list"},
	{"kubernetes-123532", "busy-neighbour", Answers, "",
		"the same, with a stream that is anybody's"},
	{"kubernetes-123674", "quiet-get", Answers, "",
		"the revision is there, nothing is wrong, and the read is refused after three seconds"},
	{"kubernetes-123676", "any-without-progress", Answers, "",
		"what is asked for is in the cache already; the answer is right, and comes too late or not at all"},
	{"kubernetes-125584", "namespaces", "linearizable-data", "",
		"an object is shown that is not below the prefix, at any revision"},
	{"kubernetes-131011", "compacted-history", Compacted, "",
		"what is served is true, and older than etcd lets anybody see"},
	{"etcd-20488", "resumed-watch", "resumable", "",
		"the guarantee that etcd's own robustness tests found broken"},
	{"watcher-missing-prevkv", "consistent-list", Mirrors, "",
		"the cache keeps an object that is deleted, at any read and with none"},
	{"version-before-store", "consistent-list", "linearizable-data", "",
		"a read that waited for the version is let go, and the write that made it is not there yet"},
	{"store-without-snapshot", "snapshot-reads", "exact", "",
		"a read at the deletion shows the object; the newest state is right"},
	{"page-of-newest-state", "snapshot-reads", "pages", "",
		"each page is true by itself; together they are no state that ever was"},
	{"revision-of-last-reader", "consistent-list", "linearizable-data", "",
		"the revision was asked for before the write that the reader knows of"},
	{"progress-of-another-stream", "several-caches", Mirrors, "",
		"the cache says it is at a version whose events are under way on its own stream"},
	{"progress-lowers-version", "outages", Mirrors, "",
		"the contents are newer than the version; reads show it only if they come between"},
}

// Zoo lists the bugs of caches with where they show, in a fixed order.
func Zoo() []Specimen { return slices.Clone(specimens) }

// planted are the specimens of the bugs that the parameters ask for, by name or
// by value.
func planted(p *Params) []Specimen {
	var found []Specimen
	for _, bug := range p.Bugs {
		dim, value, err := resolveBug(bug)
		if err != nil {
			continue
		}
		for _, b := range Bugs() {
			if b.Dimension != dim || b.Value != value {
				continue
			}
			if i := slices.IndexFunc(specimens, func(s Specimen) bool { return s.Bug == b.Name }); i >= 0 {
				found = append(found, specimens[i])
			}
		}
	}
	return found
}
