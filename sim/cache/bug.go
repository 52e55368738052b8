package cache

import (
	"slices"
	"strings"
)

// Bug is a defect that a watch cache had, or that one easily could have: one
// value of one dimension.
type Bug struct {
	Name string
	// Issue is where it was reported or fixed: "kubernetes/kubernetes#49956";
	// empty if no cache is known to have had it.
	Issue            string
	Dimension, Value string
	// FixedIn is the first minor release without it: of Kubernetes, or of etcd if
	// the issue is etcd's. Empty if there is none to name.
	FixedIn string
	Summary string
}

var bugs = []Bug{
	{"kubernetes-59848", "kubernetes/kubernetes#59848", "freshness", "none", "1.31",
		"a LIST is answered with what a cache has, however old: a client that moves to another API server goes back in time"},
	{"kubernetes-123674", "kubernetes/kubernetes#123674", "get-wait", "silent", "1.30",
		"a read of one object waits for a fresh cache without having etcd asked for progress: on a quiet range it times out"},
	{"kubernetes-123676", "kubernetes/kubernetes#123676", "zero-rv", "consistent", "1.30",
		"a LIST at resourceVersion 0 waits like a consistent one"},
	{"kubernetes-125584", "kubernetes/kubernetes#125584", "list-prefix", "open", "1.31",
		`a LIST of a namespace shows the objects of another one whose name begins like it`},
	{"store-without-snapshot", "", "snapshot-on", "puts", "",
		"a deletion leaves no snapshot: an exact read at it is served from the one before"},
	{"page-of-newest-state", "", "next-page", "newest", "",
		"the second page of a list is served from the newest state, not from that of the first"},
	{"revision-of-last-reader", "", "current-rv", "last-reader", "",
		"the revision that etcd answered to one reader is kept and given to the next"},
}

// Release is the first one without the bug, with whose it is: "Kubernetes 1.8";
// empty if there is none to name.
func (b *Bug) Release() string {
	switch {
	case b.FixedIn == "":
		return ""
	case strings.HasPrefix(b.Issue, "etcd-io/"):
		return "etcd " + b.FixedIn
	}
	return "Kubernetes " + b.FixedIn
}

// Bugs lists the bugs that the package knows: Kubernetes' by number, etcd's, then
// those that have none.
func Bugs() []Bug { return slices.Clone(bugs) }
