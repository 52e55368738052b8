package controller

import (
	"slices"

	"github.com/watchbed/watchbed/sim/wire"
)

// Act is an update that a controller has sent.
type Act struct {
	// Read is the object as the controller had read it.
	Read *wire.KeyValue
	// Wrote is the newest version that an update of the same object by the same process had been
	// answered with before; 0 if none had.
	Wrote int64
}

// history is for judges. The controller does not look into it.
type history struct {
	acts   int
	last   Act
	writes []record
}

func (h *history) act(kv *wire.KeyValue) {
	h.acts++
	h.last = Act{Read: kv}
	for _, w := range h.writes {
		if w.key == kv.Key {
			h.last.Wrote = w.version
		}
	}
}

func (h *history) wrote(key string, version int64) {
	i := slices.IndexFunc(h.writes, func(w record) bool { return w.key == key })
	if i < 0 {
		h.writes = append(h.writes, record{key, version})
		return
	}
	h.writes[i].version = max(h.writes[i].version, version)
}

// Acts is how many updates the controller has sent, those of earlier processes included, and Last the
// last of them.
func (c *Controller) Acts() int { return c.history.acts }
func (c *Controller) Last() Act { return c.history.last }
