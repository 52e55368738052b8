package flowcontrol

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// WatchSeats is the value of the option watch-seats.
type WatchSeats uint8

// WatchRule reports whether others may have the seats of a watch that has sent its initial
// events.
type WatchRule func() bool

// WatchRules is the seam of until when a watch has its seats (KEP-1040, "Watch
// initialization").
var WatchRules = option.NewSeam[WatchSeats, WatchRule]("watch-seats", "until when a watch has its seats").
	Shipped("initialized", "until it has sent its initial events", func() bool { return true })

// Initialized is called when a watch has sent its initial events (WatchInitialized).
func (l *Level) Initialized(env *sim.Env, conn sim.Conn) {
	if !l.Limits() {
		return
	}
	if WatchRules.Of(l.cfg.WatchSeats)() {
		l.Finished(env, conn)
		return
	}
	if i := l.find(conn); i >= 0 && env.Noting() {
		r := &l.executing[i]
		env.Note(seatsKept{from: r.Message.From, what: r.Message.Payload.Label(), seats: r.Seats})
	}
}
