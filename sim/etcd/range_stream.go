package etcd

import (
	"cmp"
	"math"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// StreamOptions are how a server answers RangeStream.
type StreamOptions struct {
	// Served since 3.7.0: before that gRPC refuses the call.
	Served bool
	// ReadsNewestChunks: the chunks behind the first are each read at the newest revision.
	// A client that asks for a revision pins it itself.
	ReadsNewestChunks  bool
	HeadsWithLastChunk bool
	// ChunkKeys is the limit of the first chunk (initialStreamChunkLimit): 10.
	ChunkKeys int
}

var streamChoices = option.NewGroup("etcd",
	option.Either("range-stream", func(o *StreamOptions) *bool { return &o.Served }, "what etcd does with a RangeStream (KEP-5966)",
		option.Off("unimplemented", "it does not know the method: up to 3.6"),
		option.Val("served", "it answers in chunks: 3.7.0")),
	option.Either("stream-pin", func(o *StreamOptions) *bool { return &o.ReadsNewestChunks },
		"the revision at which the later chunks of a RangeStream are read",
		option.Val("first-chunk", "that of the first chunk: 3.7.0"),
		option.Bug("none", "the newest, each for itself")),
	option.Either("stream-header", func(o *StreamOptions) *bool { return &o.HeadsWithLastChunk },
		"the revision in the header of the last chunk of a RangeStream",
		option.Val("first-chunk", "the store's when the first chunk was read: 3.7.0"),
		option.Bug("last-chunk", "the store's when the last chunk was read")),
)

var streamAmounts = option.NewGroup("etcd",
	option.Count("stream-chunk", func(o *StreamOptions) *int { return &o.ChunkKeys }, "10", "keys in the first chunk of a RangeStream; later ones are larger or smaller, by bytes"),
)

// setDefaults sets amounts that are zero to those of etcd.
func (o *StreamOptions) setDefaults() {
	o.ChunkKeys = cmp.Or(o.ChunkKeys, 10)
}

// rangeStream is the loop of EtcdServer.rangeStream (etcd 3.7, KEP-5966): a Range that is answered in chunks, each of
// which is a read transaction of its own. It is what that remembers between two chunks. The zero value has begun
// nothing.
type rangeStream struct {
	// chunk is the request of the next one: key, limit and revision move on.
	chunk wire.RangeRequest
	// left is how many keys the request's limit leaves, count how many were read.
	left, count int64
	// header is the store's revision when the first chunk was read, 0 before.
	header int64
	// at is the revision that the last chunk was read at.
	at int64
	// uncounted is the last chunk while the keys behind it are still to be counted, nil
	// otherwise.
	uncounted *wire.RangeStreamResponse
}

// newRangeStream is the beginning of a stream.
func newRangeStream(r *wire.RangeRequest, o *StreamOptions) *rangeStream {
	s := &rangeStream{chunk: *r, left: r.Limit}
	if s.left == 0 {
		s.left = math.MaxInt64
	}
	s.chunk.Limit = min(int64(o.ChunkKeys), s.left)
	return s
}

// step is one read transaction. It returns a chunk, or nil if that has yet to be counted, and
// whether it is the last one; or why the stream ends without it. target is --max-request-bytes.
func (s *rangeStream) step(env *sim.Env, store *mvcc.WatchableStore, o *StreamOptions, target int) (out *wire.RangeStreamResponse, last bool, refused wire.Code) {
	if s.uncounted != nil {
		return s.countRest(env, store)
	}
	resp, code := store.RangeVisible(env, &s.chunk)
	switch {
	case code != 0:
		return nil, true, code
	case s.chunk.CountOnly:
		return &wire.RangeStreamResponse{Revision: resp.Revision, Count: resp.Count}, true, 0
	}
	if s.header == 0 {
		s.header = resp.Revision
		if s.chunk.Revision == 0 && !o.ReadsNewestChunks {
			s.chunk.Revision = s.header
		}
	}
	if s.at = s.chunk.Revision; s.at == 0 {
		s.at = resp.Revision
	}
	read := int64(len(resp.Kvs))
	s.count += read
	s.left -= read
	out = &wire.RangeStreamResponse{Kvs: resp.Kvs}
	if resp.More {
		s.chunk.Key = resp.Kvs[read-1].Key + "\x00"
	}
	if resp.More && s.left > 0 {
		s.chunk.Limit = min(adjustChunkLimit(s.chunk.Limit, v3rpc.RangeSize(resp), target), s.left)
		return out, false, 0
	}
	out.Revision, out.More, out.Count = s.header, resp.More, s.count
	if o.HeadsWithLastChunk {
		out.Revision = resp.Revision
	}
	if !resp.More {
		return out, true, 0
	}
	s.uncounted = out
	return nil, false, 0
}

// countRest ends a stream whose limit has left keys: they are counted by a read transaction
// of its own, which may find the revision compacted. The last chunk is lost then.
func (s *rangeStream) countRest(env *sim.Env, store *mvcc.WatchableStore) (*wire.RangeStreamResponse, bool, wire.Code) {
	rest, code := store.RangeVisible(env, &wire.RangeRequest{
		Key: s.chunk.Key, RangeEnd: s.chunk.RangeEnd, Revision: s.chunk.Revision, CountOnly: true,
	})
	if code != 0 {
		return nil, true, code
	}
	out := *s.uncounted
	out.Count += rest.Count
	return &out, true, 0
}

// adjustChunkLimit brings chunks near to the target, within its half and its
// double.
func adjustChunkLimit(limit int64, size, target int) int64 {
	switch {
	case size < target/2:
		limit *= 2
	case size > target*2:
		limit /= 2
	}
	return max(limit, 1)
}

// Digest implements state.Digester: everything that decides how the stream goes on.
func (s *rangeStream) Digest(d sim.Digest) sim.Digest {
	d = s.chunk.Digest(d).Int(s.left).Int(s.count).Int(s.header)
	if s.uncounted != nil {
		d = s.uncounted.Digest(d)
	}
	return d
}
