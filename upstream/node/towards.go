package node

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/upstream/protocol"
)

func writeList(w *protocol.Writer, l *wire.ListRequest) {
	w.Text(l.Prefix).Int(l.ResourceVersion).Byte(byte(l.Match)).Int(l.Limit).Text(l.Continue).Bool(l.Single).Bool(l.FromEtcd)
	writeSelector(w, l.Selector)
}

func writeWatch(w *protocol.Writer, q *wire.WatchRequest) {
	w.Text(q.Prefix).Int(q.ResourceVersion).Byte(byte(q.Match)).Byte(byte(q.SendInitialEvents)).Bool(q.AllowBookmarks).
		Int(q.TimeoutSeconds).Bool(q.Single).Bool(q.Announce)
	writeSelector(w, q.Selector)
}

// Refuses says which kind of request a guest has no answer for: its objects have no uid.
func Refuses(p sim.Payload) string {
	var s wire.Selector
	switch p := p.(type) {
	case *wire.ListRequest:
		s = p.Selector
	case *wire.WatchRequest:
		s = p.Selector
	}
	if s.Shard != (wire.Shard{}) && s.Shard.By == "" {
		return "shards by the uid"
	}
	return ""
}

// writeSelector writes the terms of a selector, each of a label or a field, and the shard if it has one.
func writeSelector(w *protocol.Writer, s wire.Selector) {
	type term struct {
		isLabel     bool
		name, value string
	}
	var terms []term
	for at := &s; at != nil; at = at.And {
		if at.Field != "" {
			terms = append(terms, term{false, at.Field, at.Value})
		}
		if at.Label != "" {
			terms = append(terms, term{true, at.Label, at.LabelValue})
		}
	}
	w.Int(int64(len(terms)))
	for _, t := range terms {
		w.Bool(t.isLabel).Text(t.name).Text(t.value)
	}
	w.Bool(s.Shard != wire.Shard{})
	if s.Shard != (wire.Shard{}) {
		w.Text(s.Shard.By).Int(int64(s.Shard.From)).Int(int64(s.Shard.To))
	}
}

// writeWrite writes a write of a client, of which it returns false if p is none.
func writeWrite(w *protocol.Writer, client uint32, p sim.Payload) bool {
	switch p := p.(type) {
	case *wire.CreateRequest:
		w.Begin(protocol.Create, client).Text(p.Key).Text(p.Value)
	case *wire.GuaranteedUpdateRequest:
		w.Begin(protocol.Update, client).Text(p.Key).Text(p.Add).Int(p.Expected).Int(p.Precondition).Bool(p.IgnoreNotFound)
	case *wire.DeleteRequest:
		w.Begin(protocol.Delete, client).Text(p.Key).Text(p.Holding).Int(p.Precondition)
	default:
		return false
	}
	return true
}

// writeTxned writes the answer to a transaction, and what that has read if it has changed nothing.
func writeTxned(w *protocol.Writer, p *wire.TxnResponse) {
	w.Int(p.Revision).Bool(p.Succeeded)
	if p.Succeeded {
		return
	}
	w.Bool(len(p.Responses) > 0)
	if len(p.Responses) > 0 {
		WriteRanged(w, p.Responses[0].Range)
	}
}
