package dispatch

import "github.com/watchbed/watchbed/sim/shown"

// Show shows the events that wait for dispatchEvents.
func (d *Dispatcher) Show(visit shown.Visitor) {
	var waits []shown.Entry
	for _, e := range d.incoming.All() {
		waits = append(waits, e.Entry())
	}
	visit("incoming", waits...)
}
