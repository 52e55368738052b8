package cache

import (
	"slices"
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
}

// Bugs lists the bugs that the package knows: Kubernetes' by number, etcd's, then
// those that have none.
func Bugs() []Bug { return slices.Clone(bugs) }
