package rangestream

import (
	"math"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/protosize"
	"github.com/watchbed/watchbed/sim/wire"
)

// Stream is what rangeStream remembers between two chunks. The zero value has begun nothing.
type Stream struct {
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

// Store is read by chunks.
type Store interface {
	RangeVisible(env *sim.Env, r *wire.RangeRequest) (*wire.RangeResponse, wire.Code)
}

// New is the beginning of a stream.
func New(r *wire.RangeRequest, o *Options) Stream {
	s := Stream{chunk: *r, left: r.Limit}
	if s.left == 0 {
		s.left = math.MaxInt64
	}
	s.chunk.Limit = min(int64(o.ChunkKeys), s.left)
	return s
}

// Step is one read transaction. It returns a chunk, or nil if that has yet to be counted, and
// whether it is the last one; or why the stream ends without it. target is --max-request-bytes.
func (s *Stream) Step(env *sim.Env, store Store, o *Options, target int) (out *wire.RangeStreamResponse, last bool, refused wire.Code) {
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
		s.chunk.Limit = min(adjusted(s.chunk.Limit, protosize.Range(resp), target), s.left)
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

// At is the revision that the last chunk was read at, and how many keys were read so far.
func (s *Stream) At() (revision, keys int64) { return s.at, s.count }

// countRest ends a stream whose limit has left keys: they are counted by a read transaction
// of its own, which may find the revision compacted. The last chunk is lost then.
func (s *Stream) countRest(env *sim.Env, store Store) (*wire.RangeStreamResponse, bool, wire.Code) {
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

// adjusted is adjustChunkLimit: chunks come near to the target, within its half and its
// double.
func adjusted(limit int64, size, target int) int64 {
	switch {
	case size < target/2:
		limit *= 2
	case size > target*2:
		limit /= 2
	}
	return max(limit, 1)
}

// Digest is everything that decides how the stream goes on.
func (s *Stream) Digest(d sim.Digest) sim.Digest {
	d = s.chunk.Digest(d).Int(s.left).Int(s.count).Int(s.header)
	if s.uncounted != nil {
		d = s.uncounted.Digest(d)
	}
	return d
}
