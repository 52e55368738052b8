package client

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// event is etcd3's event: a change, an object that was there before the watch,
// or with neither the progress up to rev.
type event struct {
	event *wire.Event
	// item is an object of the initial list (parseKV).
	item *wire.KeyValue
	rev  int64
	// isInitialEventsEndBookmark: rev ends the initial events.
	isInitialEventsEndBookmark bool
	// progressID is what the progress answers, 0 for nobody's in particular.
	progressID int64
}

// parseEvent reports whether the event can be used.
func (c *Client) parseEvent(env *sim.Env, e *wire.Event) bool {
	if e.PrevKv != nil || isCreate(e) {
		return true
	}
	if c.cfg.Behaviour.MissingPrevKv == MissingPrevKvPasses {
		env.Cover(missingPrevKvPassed)
		return true
	}
	env.Cover(missingPrevKvFailed)
	return false
}

func isCreate(e *wire.Event) bool {
	return e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision
}

func missingPrevKv(e *wire.Event) *wire.Error {
	return &wire.Error{Code: wire.Internal,
		Message: "etcd sent an event without PrevKv: " + e.Kv.Key + " at " + strconv.FormatInt(e.Kv.ModRevision, 10)}
}

var (
	errCompacted   = &wire.Error{Code: wire.ErrCompacted, Message: "the watch's revision has been compacted"}
	errEndOfStream = &wire.Error{Code: wire.Internal, Message: "EOF"}
	errInterrupted = &wire.Error{Code: wire.Unavailable, Message: "the connection broke"}
)
