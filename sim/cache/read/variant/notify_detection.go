package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
)

// NotifyDetected sends consistent reads to etcd if etcd seems to send no progress
// notifications.
var NotifyDetected = read.NotifyDetectors.Register("on", "it sends consistent reads to etcd (the draft of 2019)",
	func() read.NotifyDetector { return &detected{} })

// detected takes etcd to send no progress notifications if none has come yet, or
// none for Limits.NotifyWithin (the draft of 2019, "Determining if etcd is sending
// progress notify events"). Events do not count, as the draft has it, although
// etcd leaves out the notification of a watch that was sent an event since the last
// one.
type detected struct {
	within sim.Duration
	// heard: etcd has sent progress; last is the time of the last notification.
	heard bool
	last  sim.Time
}

var cellNotified = sim.NewCell("cache: last progress notification")

// Reset implements read.NotifyDetector.
func (n *detected) Reset(l *read.Limits) { *n = detected{within: l.NotifyWithin} }

// Heard implements read.NotifyDetector.
func (n *detected) Heard(env *sim.Env) {
	env.Writes(cellNotified, 0)
	n.heard, n.last = true, env.Now()
}

// Overdue implements read.NotifyDetector.
func (n *detected) Overdue(env *sim.Env) bool {
	env.Reads(cellNotified, 0)
	return !n.heard || env.Elapsed(n.last, n.within)
}

// Clone implements read.NotifyDetector.
func (n *detected) Clone() read.NotifyDetector { c := *n; return &c }

// Cells implements read.NotifyDetector.
func (n *detected) Cells(visit sim.CellVisitor) {
	visit(cellNotified, 0, sim.NewDigest.Bool(n.heard).Int(int64(n.last)))
}
