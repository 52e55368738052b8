package client

import (
	"fmt"
	"slices"
)

// Bug is a defect that was real: one value of one dimension.
type Bug struct {
	Name string
	// Issue is where it was reported or fixed: "owner/repository#number".
	Issue            string
	Dimension, Value string
	Summary          string
}

var bugs = []Bug{
	{"client-resume-repeats", "etcd-io/etcd#15248", "resume-revision", "at-header",
		"after a progress notification a broken watch resumes one revision early: its last event comes twice"},
	{"watcher-missing-prevkv", "kubernetes/kubernetes#76675", "missing-prev-kv", "passes",
		"a deletion whose previous value was compacted does not reach the cache"},
	{"progress-of-another-stream", "", "progress-scope", "client",
		"a progress notification of one stream lets go reads that wait for a watch on another"},
}

// Bugs lists the bugs that the package knows, in a fixed order.
func Bugs() []Bug { return slices.Clone(bugs) }

// Apply returns the behaviour with the named bug in it. It returns an error that
// lists the bugs if there is none of that name.
func (b Behaviour) Apply(bug string) (Behaviour, error) {
	var names []string
	for _, known := range bugs {
		if known.Name == bug {
			return b.With(known.Dimension, known.Value)
		}
		names = append(names, known.Name)
	}
	return b, fmt.Errorf("client: no bug %q; there are %q", bug, names)
}
