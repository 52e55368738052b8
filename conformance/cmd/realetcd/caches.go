package main

import "fmt"

// Use is what a Kubernetes API server does with etcd, and whether it may on this server.
type Use struct {
	Name string `json:"name"`
	// Safe holds if all that it needs holds. Sentence names what does not.
	Safe     Verdict `json:"safe"`
	Sentence string  `json:"sentence,omitempty"`
}

var (
	ofEtcd  = []string{"linearizable", "linearizable-data", "exact", "revisions", "pages", "past-revisions"}
	ofWatch = []string{"ordered", "unique", "reliable", "resumable", "prevKV", "slow-watch"}
)

// needs are the promises that each use relies on.
var needs = []struct {
	name  string
	needs [][]string
}{
	{"a cache that lists and watches", [][]string{ofEtcd, ofWatch}},
	{"consistent LIST from the cache (KEP-2340), initial events of watches (KEP-3157)", [][]string{ofEtcd, ofWatch, {"bookmarkable", "progress-requested", "progress-quiet"}}},
	{"bookmarks of quiet resources", [][]string{ofWatch, {"bookmarkable", "progress-periodic"}}},
	{"compaction by API servers, exact LIST from snapshots (KEP-4988)", [][]string{ofEtcd, ofWatch, {"compaction", "full-watch"}}},
	{"events that expire", [][]string{{"leases"}}},
	{"lists as a stream (KEP-5966)", [][]string{{"range-stream"}}},
}

// uses joins the verdicts. One that was not exercised is unknown.
func uses(r *Report) (all []Use) {
	rank := map[Verdict]int{Holds: 0, NotTried: 1, Unknown: 2, NotOffered: 3, Violated: 4}
	for _, n := range needs {
		u := Use{Name: n.name, Safe: Holds}
		for _, group := range n.needs {
			for _, name := range group {
				p := r.Promise(name)
				if p == nil {
					p = &Promise{Name: name, Verdict: Unknown}
				}
				if rank[p.Verdict] > rank[u.Safe] {
					u.Safe, u.Sentence = p.Verdict, fmt.Sprintf("%s is %s", p.Name, p.Verdict)
				}
			}
		}
		all = append(all, u)
	}
	return all
}
