package variant

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// What KEP-3157 asks of Beta is to know "if the experimental-watch-progress-notify-interval
// flag has been set". Both values find out by what etcd sends.
var (
	DetectNotified = dispatch.Detections.Register("notified",
		"it is, until progress has come and while none has come for 11 s: two periods of 5 s with etcd's jitter",
		func() dispatch.Detection { return &notified{} })
	DetectUnasked = dispatch.Detections.Register("unasked",
		"the same, without the progress that comes up to 1 s after the cache has asked for some",
		func() dispatch.Detection { return &notified{unaskedOnly: true} })
)

// notified takes etcd to send progress by itself if some has come lately. etcd's ticker
// leaves out a watch that was sent an event since the last tick, so one period is too
// short, and a resource that is written all the time looks like an etcd that sends
// none. An answer to a request looks like any other progress, and requests end with the
// reads that wait: a LIST that waits makes an etcd that sends none look like one that
// does, unless what was asked for is left out.
type notified struct {
	unaskedOnly bool
	within      sim.Duration
	// heard: progress has come that counts, the last at this time.
	heard bool
	last  sim.Time
	// asked: the cache has asked for progress, the last time then.
	asked   bool
	lastAsk sim.Time
}

// answerWithin is how long after a request progress is taken for the answer.
const answerWithin = time.Second

var cellProgressHeard = sim.NewCell("cache: last progress handed out")

// Reset implements dispatch.Detection.
func (n *notified) Reset(a *dispatch.Amounts) {
	*n = notified{unaskedOnly: n.unaskedOnly, within: a.NotifiedWithin}
}

// Heard implements dispatch.Detection.
func (n *notified) Heard(env *sim.Env) {
	if n.unaskedOnly {
		env.Reads(cellProgressHeard, 0)
		if n.asked && !env.Elapsed(n.lastAsk, answerWithin) {
			return
		}
	}
	env.Writes(cellProgressHeard, 0)
	n.heard, n.last = true, env.Now()
}

// Asked implements dispatch.Detection.
func (n *notified) Asked(env *sim.Env) {
	env.Writes(cellProgressHeard, 0)
	n.asked, n.lastAsk = true, env.Now()
}

// Silent implements dispatch.Detection.
func (n *notified) Silent(env *sim.Env) bool {
	env.Reads(cellProgressHeard, 0)
	return !n.heard || env.Elapsed(n.last, n.within)
}

// Clone implements dispatch.Detection.
func (n *notified) Clone() dispatch.Detection { c := *n; return &c }

// Cells implements dispatch.Detection.
func (n *notified) Cells(visit sim.CellVisitor) {
	visit(cellProgressHeard, 0, sim.NewDigest.Bool(n.heard).Int(int64(n.last)).Bool(n.asked).Int(int64(n.lastAsk)))
}
