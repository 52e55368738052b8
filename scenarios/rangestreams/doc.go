// Package rangestreams holds scenarios in which API servers read etcd by RangeStream: chunks
// of one state, between which objects change, etcd compacts, and connections break (KEP-5966).
//
// The package must never import package scenarios, which lists these among its own.
package rangestreams
