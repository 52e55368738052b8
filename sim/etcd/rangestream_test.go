package etcd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/rangestream"
	"github.com/watchbed/watchbed/sim/wire"
)

// streaming is a server of 3.7 with objects at the revisions from 2 on, whose first chunk has
// one key.
func streaming(t testing.TB, objects int, change ...func(*etcd.Config)) *bench {
	return newBench(t, "3.7.3", append([]func(*etcd.Config){func(cfg *etcd.Config) {
		cfg.Streams.ChunkKeys = 1
		for i := range objects {
			rev := int64(i + 2)
			cfg.Initial = append(cfg.Initial, &wire.KeyValue{Key: fmt.Sprintf("/a/%02d", i), Value: "v", CreateRevision: rev, ModRevision: rev, Version: 1})
			cfg.InitialRevision = rev
		}
	}}, change...)...)
}

func everything() *wire.RangeRequest { return &wire.RangeRequest{Key: "/a/", RangeEnd: "/a0"} }

func (b *bench) stream(r *wire.RangeRequest) *bench {
	b.t.Helper()
	return b.request("range", &wire.RangeStreamRequest{Range: r}).step("deliver user>etcd")
}

// begin lets a stream get to its first chunk.
func (b *bench) begin(r *wire.RangeRequest) *bench {
	b.t.Helper()
	return b.stream(r).step("run etcd linearizableReadLoop")
}

// chunks forgets and returns, as short texts, what came on the stream.
func (b *bench) chunks() []string {
	b.settle("RangeStream", "applyLoop")
	var out []string
	for _, p := range b.user.told {
		if r, ok := p.(*wire.RangeStreamResponse); ok {
			text := ""
			for _, kv := range r.Kvs {
				text += fmt.Sprintf("%s@%d ", kv.Key, kv.ModRevision)
			}
			if r.Revision != 0 {
				text += fmt.Sprintf("rev %d more %v count %d", r.Revision, r.More, r.Count)
			}
			out = append(out, strings.TrimSpace(text))
		} else {
			out = append(out, p.Label())
		}
	}
	b.user.told = nil
	return out
}

const nextChunk = "run etcd RangeStream user.0"

// KEP-5966: "the final message carries the header": the others have keys only. Chunks grow,
// and are all of the revision of the first one.
func TestARangeStreamIsOneStateInChunks(t *testing.T) {
	b := streaming(t, 4).begin(everything())
	b.step(nextChunk)
	require.Equal(t, []string{"/a/00@2"}, b.chunks())
	b.put("/a/01", "new").remove("/a/03").chunks()
	b.step(nextChunk)
	require.Equal(t, []string{"/a/01@3 /a/02@4"}, b.chunks())
	b.step(nextChunk)
	require.Equal(t, []string{"/a/03@5 rev 5 more false count 4", "connection closed"}, b.chunks())
	require.Zero(t, b.server.Held().Calls)
}

// The header has the store's revision, not the one that was asked for.
func TestARangeStreamOfThePast(t *testing.T) {
	b := streaming(t, 2).put("/a/00", "new")
	past := everything()
	past.Revision = 3
	b.begin(past).chunks()
	b.step(nextChunk, nextChunk)
	require.Equal(t, []string{"/a/00@2", "/a/01@3 rev 4 more false count 2", "connection closed"}, b.chunks())
}

func TestACompactionEndsARangeStream(t *testing.T) {
	b := streaming(t, 4).begin(everything())
	b.step(nextChunk).put("/a/00", "new").compact(6).chunks()
	b.step(nextChunk)
	require.Equal(t, []string{"error: compacted", "connection closed"}, b.chunks())
	require.Zero(t, b.server.Held().Calls)
}

// All keys that the limit leaves have been read, those before the last chunk have been sent:
// then the rest is counted, in a read transaction of its own.
func TestTheRestOfALimitedRangeStreamIsCounted(t *testing.T) {
	limited := everything()
	limited.Limit = 3
	b := streaming(t, 5).begin(limited)
	b.step(nextChunk, nextChunk)
	require.Equal(t, []string{"/a/00@2"}, b.chunks())
	b.remove("/a/04").chunks()
	b.step(nextChunk)
	require.Equal(t, []string{"/a/01@3 /a/02@4 rev 6 more true count 5", "connection closed"}, b.chunks())

	b = streaming(t, 5).begin(limited)
	b.step(nextChunk, nextChunk).put("/a/00", "new").compact(7).chunks()
	b.step(nextChunk)
	require.Equal(t, []string{"error: compacted", "connection closed"}, b.chunks())
}

// adjustChunkLimit: twice as many keys after less than half of the target, half as many after
// more than twice.
func TestChunksAreSizedByBytes(t *testing.T) {
	large := func(cfg *etcd.Config) {
		cfg.Streams.ChunkKeys, cfg.Write.MaxRequestBytes = 4, 300
		for _, kv := range cfg.Initial[:4] {
			kv.Value = strings.Repeat("x", 200)
		}
	}
	b := streaming(t, 12, large).begin(everything())
	sizes := []int{}
	for len(sizes) == 0 || len(b.names()) > 0 {
		b.step(nextChunk).settle("RangeStream")
		for _, p := range b.user.told {
			if r, ok := p.(*wire.RangeStreamResponse); ok {
				sizes = append(sizes, len(r.Kvs))
			}
		}
		b.user.told = nil
	}
	// 4 large ones are 900 bytes; 2 and 4 small ones 100 and 150, the target is 300.
	require.Equal(t, []int{4, 2, 4, 2}, sizes)
}

func TestRangeStreamsThatAreRefused(t *testing.T) {
	sorted, filtered := everything(), everything()
	sorted.SortOrder, filtered.MinModRevision = wire.SortDescend, 3
	for _, c := range []struct {
		version string
		request *wire.RangeRequest
		want    string
	}{
		{"3.6.16", everything(), "error: unimplemented"},
		{"3.7.0", sorted, "error: unimplemented"},
		{"3.7.0", filtered, "error: unimplemented"},
		{"3.7.0", &wire.RangeRequest{}, "error: bad request"},
	} {
		b := newBench(t, c.version).stream(c.request)
		require.Equal(t, []string{c.want, "connection closed"}, b.chunks(), c.version)
	}
	future := everything()
	future.Revision = 9
	b := streaming(t, 1).begin(future)
	b.step(nextChunk)
	require.Equal(t, []string{"error: future revision", "connection closed"}, b.chunks())
}

// IsDefaultOrdering at v3.7.3: "sortOrder == pb.RangeRequest_NONE || (sortTarget == pb.RangeRequest_KEY && sortOrder ==
// pb.RangeRequest_ASCEND)". sortRangeResults sorts by a field without an order all the same, of each chunk what the limit and
// one more leave, and the next chunk begins behind the last key of the one before.
func TestARangeStreamSortsItsChunks(t *testing.T) {
	ascending, byMod := everything(), everything()
	ascending.SortOrder, byMod.SortTarget = wire.SortAscend, wire.SortByMod
	b := streaming(t, 2).begin(ascending)
	b.step(nextChunk, nextChunk)
	require.Equal(t, []string{"/a/00@2", "/a/01@3 rev 3 more false count 2", "connection closed"}, b.chunks())

	b = streaming(t, 3).put("/a/00", "new").begin(byMod)
	b.chunks()
	b.step(nextChunk, nextChunk)
	require.Equal(t, []string{"/a/01@3", "/a/02@4 rev 5 more false count 2", "connection closed"}, b.chunks(), "the first key is left out")
}

// A client that does not read is not read for: the next chunk waits for room, and for good
// when the client goes away.
func TestARangeStreamWaitsForRoom(t *testing.T) {
	b := streaming(t, 8, func(cfg *etcd.Config) { cfg.Watch.SendWindow = 1 }).begin(everything())
	b.step(nextChunk)
	require.NotContains(t, b.names(), nextChunk)
	b.step("deliver etcd>user")
	require.Contains(t, b.names(), nextChunk)
	b.step(nextChunk).do(func(env *sim.Env) { env.Close(b.user.streams["range"]) })
	b.settle()
	require.Zero(t, b.server.Held().Calls)
	require.EqualValues(t, 1, b.covered("RangeStream whose client is gone"))
}

// Each chunk is a Range for the queue of what reads cost: others come in between.
func TestChunksTakeTheirTurns(t *testing.T) {
	var c timetable
	c.plan(0, &wire.RangeStreamRequest{Range: all})
	c.plan(ms, none)
	require.Equal(t, []string{
		"11ms chunk of 1 items", "21ms rev 5: 0 items", "33ms chunk of 2 items",
		"44ms chunk of 1 items, the last, rev 5", "44ms connection closed",
	}, runTimetable(t, priced(t, func(cfg *etcd.Config) {
		cfg.Streams.Method, cfg.Streams.ChunkKeys = rangestream.Served, 1
	}), &c))
}
