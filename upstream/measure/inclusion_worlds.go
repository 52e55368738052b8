package main

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What clients ask in the worlds.
var (
	progress = &wire.WatchProgressRequest{}
	readAll  = &wire.RangeRequest{Key: "k", RangeEnd: "l"}
)

// call is a request with an answer, for which the client waits.
func call(p sim.Payload) step { return step{request: p} }

// on is a request on a stream. The client waits until a watch that it asks for is created, and for nothing else.
func on(stream int, p sim.Payload) step { return step{stream: stream, request: p} }

// hasty is a request on a stream behind which the client waits for nothing.
func hasty(stream int, p sim.Payload) step { return step{stream: stream, request: p, hasty: true} }

func put(key, value string) *wire.PutRequest { return &wire.PutRequest{Key: key, Value: value} }

// watch is one of all keys of the worlds.
func watch(from int64, change ...func(*wire.WatchCreateRequest)) *wire.WatchCreateRequest {
	r := &wire.WatchCreateRequest{Key: "k", RangeEnd: "l", StartRevision: from}
	for _, f := range change {
		f(r)
	}
	return r
}

func withPrevKv(r *wire.WatchCreateRequest)  { r.PrevKv = true }
func fragmented(r *wire.WatchCreateRequest)  { r.Fragment = true }
func deletesOnly(r *wire.WatchCreateRequest) { r.Filters = wire.NoPut }
func numbered(r *wire.WatchCreateRequest)    { r.WatchID = 7 }

// history is versions of one key with a value each, from revision 2 on.
func history(value string, versions int64) []*wire.KeyValue {
	var all []*wire.KeyValue
	for v := int64(1); v <= versions; v++ {
		all = append(all, &wire.KeyValue{Key: "k", Value: value, CreateRevision: 2, ModRevision: v + 1, Version: v})
	}
	return all
}

// etcdWorlds are all that are compared with an etcd. Those that have a guest's memory grow are last: each of its
// restores takes longer from then on.
var etcdWorlds = []*world{
	{
		Name: "progress", Doc: "a writer puts two keys, and a client watches from now on and asks for progress twice",
		Clients: [][]step{
			{call(put("k1", "a")), call(put("k2", "b"))},
			{on(1, watch(0)), on(1, progress), on(1, progress)},
		},
	},
	{
		Name: "progress-after-put", Doc: "a client watches from now on, puts, and asks for progress when the put is answered; another client puts, too",
		Clients: [][]step{
			{on(1, watch(0)), call(put("k1", "a")), on(1, progress)},
			{call(put("k2", "b"))},
		},
	},
	{
		Name: "from-the-past", Doc: "two writers put a key, and a client watches from the first revision, asks for progress and reads",
		Clients: [][]step{
			{call(put("k1", "a"))}, {call(put("k1", "b"))},
			{on(1, watch(1)), on(1, progress), call(readAll)},
		},
	},
	{
		Name: "compacted", Doc: "a client watches from a revision that is compacted, and then from now on, on one stream; a writer puts",
		Initial: history("v", 4), Revision: 5, Compacted: 4,
		Clients: [][]step{
			{call(put("k1", "a"))},
			{on(1, watch(2)), on(1, watch(0)), on(1, progress)},
		},
	},
	{
		Name: "compaction", Doc: "a writer puts and compacts there, while a client watches from the past and asks for progress",
		Initial: history("v", 2), Revision: 3,
		Clients: [][]step{
			{call(put("k1", "a")), call(&wire.CompactionRequest{Revision: 4})},
			{on(1, watch(2)), on(1, progress)},
		},
	},
	{
		Name: "cancel", Doc: "a client watches from now on, asks for progress, cancels the watch and asks for progress again; a writer puts two keys",
		Clients: [][]step{
			{call(put("k1", "a")), call(put("k2", "b"))},
			{on(1, watch(0)), on(1, progress), on(1, &wire.WatchCancelRequest{}), on(1, progress)},
		},
	},
	{
		Name: "two-watches", Doc: "a stream has a watch from the past and one from now on, and asks for progress; a writer puts two keys",
		Initial: history("v", 1), Revision: 2,
		Clients: [][]step{
			{call(put("k1", "a")), call(put("k2", "b"))},
			{on(1, watch(2)), on(1, watch(0)), on(1, progress)},
		},
	},
	{
		Name: "two-streams", Doc: "a client has two streams with a watch each and asks for progress on both; a writer puts",
		Clients: [][]step{
			{call(put("k1", "a"))},
			{on(1, watch(0)), on(2, watch(1)), on(1, progress), on(2, progress)},
		},
	},
	{
		Name: "same-id", Doc: "a stream asks for two watches of the same id; a writer puts",
		Clients: [][]step{
			{call(put("k1", "a"))},
			{on(1, watch(0, numbered)), on(1, watch(1, numbered)), on(1, progress)},
		},
	},
	{
		Name: "previous", Doc: "a client watches from the past and wants previous values; a writer puts a key and deletes it",
		Initial: history("v", 2), Revision: 3,
		Clients: [][]step{
			{call(put("k", "a")), call(&wire.DeleteRangeRequest{Key: "k"})},
			{on(1, watch(3, withPrevKv))},
		},
	},
	{
		Name: "filter", Doc: "a client watches deletions from now on and asks for progress; a writer puts a key and deletes it",
		Clients: [][]step{
			{call(put("k1", "a")), call(&wire.DeleteRangeRequest{Key: "k1"})},
			{on(1, watch(0, deletesOnly)), on(1, progress)},
		},
	},
	{
		Name: "negative", Doc: "a stream has a watch from a negative revision and one from the past; a writer puts",
		Initial: history("v", 2), Revision: 3,
		Clients: [][]step{
			{call(put("k1", "a"))},
			{on(1, watch(2)), on(1, watch(-1)), on(1, progress)},
		},
	},
	{
		Name: "future", Doc: "a client watches from a revision that is yet to come and asks for progress; a writer puts twice, and the server installs a snapshot",
		Snapshot: true,
		Clients: [][]step{
			{call(put("k1", "a")), call(put("k2", "b"))},
			{on(1, watch(3)), on(1, progress)},
		},
	},
	{
		Name: "fragments", Doc: "a client watches from the past, in fragments, what is too large for one response; a writer puts",
		Slow: 10, Initial: history(strings.Repeat("v", 1200<<10), 3), Revision: 4,
		Clients: [][]step{
			{call(put("k1", "a"))},
			{on(1, watch(2, fragmented)), on(1, progress)},
		},
	},
	{
		Name: "batches", Doc: "a client watches from the past what takes more revisions than a response has; a writer puts",
		Slow: 10, Initial: history("v", 1001), Revision: 1002,
		Clients: [][]step{
			{call(put("k1", "a"))},
			{on(1, watch(2)), on(1, progress)},
		},
	},
}
