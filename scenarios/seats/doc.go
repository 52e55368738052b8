// Package seats holds the scenarios of API Priority and Fairness (KEP-1040) in front of
// caches: that its own rules are kept, and what becomes of them when etcd answers LISTs
// that were admitted as reads of the cache (KEP-2340, "Per-request override").
//
// The package must never import package scenarios, which lists these among its own.
package seats
