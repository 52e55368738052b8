// Package guard (unstable) keeps a cache from trusting an etcd whose progress notifications are
// wrong.
//
//	Guard      what is known of etcd, and what follows from it
//	Check      how the versions of etcd's endpoints are found out: a seam
//
// The checks are those of KEP-2340, "Bug in etcd progress notification", and
// FeatureSupportChecker of k8s.io/apiserver. Upstream has one check in a process,
// which asks each endpoint once for all resources. Here each cache has its own,
// which is the same unless a process has several; package shell has the answers shared.
//
// The package must never import sim/cache or another package below it.
package guard
