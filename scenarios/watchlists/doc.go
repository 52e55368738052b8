// Package watchlists holds scenarios of WatchLists in which what API servers answer
// depends on where a client goes, and on what etcd sends (KEP-3157).
//
// The package must never import package scenarios, which lists these among its own.
package watchlists
