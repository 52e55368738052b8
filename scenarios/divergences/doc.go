// Package divergences has the scenarios in which a cache differs from etcd, and those of the
// check that is to find it (KEP-4988, consistency checker): which part of an event never
// reaches the cache, what is wrong until the check fails, and what is right after it.
//
// The package must never import package scenarios, which lists its scenarios.
package divergences
