package v3rpc

import (
	"math/bits"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// sendFragments is the function of that name: a response that is too large is split
// between events.
func (sws *ServerWatchStream) sendFragments(env *sim.Env, r *wire.WatchResponse) {
	out, limit := &sws.send.out, sws.server.opts.FragmentBytes
	bare := *r
	bare.Events = nil
	head := responseSize(&bare)
	size := head
	for i := range r.Events {
		size += eventSize(&r.Events[i])
	}
	if size < limit || len(r.Events) < 2 {
		out.Push(r)
		return
	}
	env.Cover(coverFragmented)
	// The flag counts.
	head += 2
	for from := 0; from < len(r.Events); {
		to, size := from, head
		for to < len(r.Events) {
			size += eventSize(&r.Events[to])
			if to > from && (size >= limit || sws.server.opts.Fragments == FragmentsSingle) {
				break
			}
			to++
		}
		f := sws.server.responses.New()
		*f = bare
		f.Events, f.Fragment = r.Events[from:to:to], to < len(r.Events)
		out.Push(f)
		from = to
	}
}

// The sizes of protobuf messages with the fields that they have here; tags take
// one byte. Ids of cluster and member are random 64-bit numbers.

func responseSize(r *wire.WatchResponse) int {
	header := 2*(1+10) + intSize(r.Revision) + intSize(1)
	size := 1 + varintSize(header) + header + intSize(r.WatchID) + intSize(r.CompactRevision)
	for _, set := range [3]bool{r.Created, r.Canceled, r.Fragment} {
		if set {
			size += 2
		}
	}
	return size + textSize(r.CancelReason)
}

func eventSize(e *wire.Event) int {
	n := itemSize(e.Kv) + itemSize(e.PrevKv)
	if e.Type != wire.Put {
		n += 2
	}
	return 1 + varintSize(n) + n
}

func itemSize(kv *wire.KeyValue) int {
	if kv == nil {
		return 0
	}
	n := textSize(kv.Key) + textSize(kv.Value) + intSize(kv.CreateRevision) + intSize(kv.ModRevision) + intSize(kv.Version)
	return 1 + varintSize(n) + n
}

func textSize(s string) int {
	if s == "" {
		return 0
	}
	return 1 + varintSize(len(s)) + len(s)
}

func intSize(n int64) int {
	if n == 0 {
		return 0
	}
	return 1 + (bits.Len64(uint64(n))+6)/7
}

func varintSize(n int) int { return max(1, (bits.Len(uint(n))+6)/7) }
