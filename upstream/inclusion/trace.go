package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/traces"
)

// traceOf is the trace of a world so far.
func traceOf(w *sim.World) traces.Trace {
	var all traces.Trace
	for n := etcdNode + 1; int(n) < w.Nodes(); n++ {
		for _, t := range w.Node(n).(*client).told {
			all = append(all, t.Texts)
		}
	}
	return all
}

// text is all of what a client is told in a message.
func text(p sim.Payload) string {
	switch r := p.(type) {
	case *wire.WatchResponse:
		return watchText(r)
	case *wire.RangeResponse:
		text := fmt.Sprintf("rev %d: %d", r.Revision, r.Count)
		for _, kv := range r.Kvs {
			text += " " + kvText(kv)
		}
		return text
	case *sim.Hangup:
		return "the stream has ended"
	case interface{ Label() string }:
		return r.Label()
	}
	return fmt.Sprintf("%T", p)
}

func watchText(r *wire.WatchResponse) string {
	parts := []string{fmt.Sprintf("watch %d at %d", r.WatchID, r.Revision)}
	if r.Created {
		parts = append(parts, "created")
	}
	if r.Canceled {
		parts = append(parts, "canceled", r.CancelReason)
	}
	if r.CompactRevision != 0 {
		parts = append(parts, fmt.Sprintf("compacted at %d", r.CompactRevision))
	}
	if r.IsProgressNotify() {
		parts = append(parts, "progress")
	}
	for i := range r.Events {
		if n := len(r.Events); n > 4 && i == 1 {
			parts = append(parts, fmt.Sprintf("and %d more to", n-2))
		} else if n > 4 && i > 1 && i < n-1 {
			continue
		}
		parts = append(parts, eventText(&r.Events[i]))
	}
	if r.Fragment {
		parts = append(parts, "to be continued")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

func eventText(e *wire.Event) string {
	text := kvText(e.Kv)
	if e.Type == wire.Delete {
		text = fmt.Sprintf("-%s@%d", e.Kv.Key, e.Kv.ModRevision)
	}
	if e.PrevKv != nil {
		text += " was " + kvText(e.PrevKv)
	}
	return text
}

// short is how much of a value is shown.
const short = 8

func kvText(kv *wire.KeyValue) string {
	value := kv.Value
	if len(value) > short {
		value = fmt.Sprintf("%s...%d bytes", value[:short], len(value))
	}
	return fmt.Sprintf("%s=%s@%d (from %d, version %d)", kv.Key, value, kv.ModRevision, kv.CreateRevision, kv.Version)
}
