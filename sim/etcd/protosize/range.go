package protosize

import "github.com/watchbed/watchbed/sim/wire"

// Range is the size of the answer to a Range. Ids of cluster and member are random 64-bit
// numbers, and the raft term is a small one.
func Range(r *wire.RangeResponse) int {
	header := 2*(1+randomID) + number(r.Revision) + number(1)
	size := message(header) + flag(r.More) + number(r.Count)
	for _, kv := range r.Kvs {
		size += item(kv)
	}
	return size
}
