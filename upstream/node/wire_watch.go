package node

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// WriteWatchRequest begins a message with a request on a stream of watches. It reports whether p is one.
func WriteWatchRequest(w *protocol.Writer, conn uint32, p sim.Payload) bool {
	switch p := p.(type) {
	case *wire.WatchCreateRequest:
		w.Begin(protocol.CreateWatch, conn).Text(p.Key).Text(p.RangeEnd).Int(p.StartRevision).Bool(p.ProgressNotify).
			Byte(byte(p.Filters)).Bool(p.PrevKv).Int(p.WatchID).Bool(p.Fragment)
	case *wire.WatchCancelRequest:
		w.Begin(protocol.CancelWatch, conn).Int(p.WatchID)
	case *wire.WatchProgressRequest:
		w.Begin(protocol.RequestProgress, conn)
	default:
		return false
	}
	return true
}

// ReadWatchRequest reads a request on a stream of watches.
func ReadWatchRequest(kind protocol.Kind, r *protocol.Reader, requireLeader bool) sim.Payload {
	switch kind {
	case protocol.CreateWatch:
		return &wire.WatchCreateRequest{
			Key: r.Text(), RangeEnd: r.Text(), StartRevision: r.Int(), ProgressNotify: r.Bool(),
			Filters: wire.FilterType(r.Byte()), PrevKv: r.Bool(), WatchID: r.Int(), Fragment: r.Bool(), RequireLeader: requireLeader,
		}
	case protocol.CancelWatch:
		return &wire.WatchCancelRequest{WatchID: r.Int()}
	default:
		return &wire.WatchProgressRequest{RequireLeader: requireLeader}
	}
}

// WriteWatchResponse writes a WatchResponse.
func WriteWatchResponse(w *protocol.Writer, p *wire.WatchResponse) {
	w.Int(p.Revision).Int(p.WatchID).Bool(p.Created).Bool(p.Canceled).Int(p.CompactRevision).Text(p.CancelReason).
		Bool(p.Fragment).Int(int64(len(p.Events)))
	for i := range p.Events {
		e := &p.Events[i]
		w.Byte(byte(e.Type))
		WriteKV(w, e.Kv)
		w.Bool(e.PrevKv != nil)
		if e.PrevKv != nil {
			WriteKV(w, e.PrevKv)
		}
	}
}

// ReadWatchResponse reads a WatchResponse.
func ReadWatchResponse(r *protocol.Reader) *wire.WatchResponse {
	p := &wire.WatchResponse{
		Revision: r.Int(), WatchID: r.Int(), Created: r.Bool(), Canceled: r.Bool(), CompactRevision: r.Int(), CancelReason: r.Text(), Fragment: r.Bool(),
	}
	for range r.Int() {
		e := wire.Event{Type: wire.EventType(r.Byte()), Kv: ReadKV(r)}
		if r.Bool() {
			e.PrevKv = ReadKV(r)
		}
		p.Events = append(p.Events, e)
	}
	return p
}
