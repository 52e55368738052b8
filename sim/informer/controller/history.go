package controller

import "github.com/watchbed/watchbed/sim/wire"

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
	acts int
	last Act
}

func (h *history) act(kv *wire.KeyValue, writes []record) {
	h.acts++
	h.last = Act{Read: kv}
	// A judge must not ask what it judges: indexOf is the controller's.
	for _, r := range writes {
		if r.key == kv.Key {
			h.last.Wrote = r.version
		}
	}
}

// Acts is how many updates the controller has sent, those of earlier processes included, and Last the
// last of them.
func (c *Controller) Acts() int { return c.history.acts }
func (c *Controller) Last() Act { return c.history.last }
