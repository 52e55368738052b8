package read

import (
	"strconv"

	"github.com/watchbed/watchbed/sim/shown"
)

// Show shows the reads that wait for the cache to get as far as etcd was.
func (d *Delegator) Show(visit shown.Visitor) {
	var waits []shown.Entry
	for _, r := range d.reads {
		if r.state == waiting || r.state == woken {
			waits = append(waits, shown.Entry{Text: r.label() + " for " + strconv.FormatInt(r.wanted, 10)})
		}
	}
	visit("waiting reads", waits...)
}
