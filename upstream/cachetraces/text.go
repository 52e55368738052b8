package main

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// text is all of what a client is told in a message, but for what Kubernetes does not tell clients: of revisions it knows the last one.
func text(p sim.Payload) string {
	switch r := p.(type) {
	case *wire.ListResponse:
		parts := []string{fmt.Sprintf("LIST at %d", r.ResourceVersion)}
		for _, kv := range r.Items {
			parts = append(parts, kvText(kv))
		}
		if r.Continue != "" {
			parts = append(parts, fmt.Sprintf("and %d more", r.RemainingItemCount))
		}
		return strings.Join(parts, " ")
	case *wire.GetResponse:
		if r.Item == nil {
			return "not found"
		}
		return kvText(r.Item)
	case *wire.WatchEvent:
		switch {
		case r.Err != nil:
			return failed + r.Err.Code.String()
		case r.Item != nil:
			return fmt.Sprintf("%v at %d %s=%s", r.Type, r.ResourceVersion, r.Item.Key, r.Item.Value)
		case r.InitialEventsEnd:
			return fmt.Sprintf("%v at %d, the end of the initial events", r.Type, r.ResourceVersion)
		}
		return fmt.Sprintf("%v at %d", r.Type, r.ResourceVersion)
	case *wire.Error:
		return failed + r.Code.String()
	case *sim.Hangup:
		return "the watch has ended"
	case interface{ Label() string }:
		return r.Label()
	}
	return fmt.Sprintf("%T", p)
}

// failed is how the text of an error begins.
const failed = "error: "

func kvText(kv *wire.KeyValue) string {
	return fmt.Sprintf("%s=%s@%d", strings.TrimPrefix(kv.Key, prefix), kv.Value, kv.ModRevision)
}
