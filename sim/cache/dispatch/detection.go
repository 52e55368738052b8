package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchListDetection says how a cache finds out whether etcd sends progress, without which
// initial events may never end (KEP-3157, "Beta": "automatically detecting etcd configuration"; it
// asks "if the experimental-watch-progress-notify-interval flag has been set").
type WatchListDetection uint8

// The values of watch-list-detection. DetectNotified and DetectUnasked go by what etcd sends.
const (
	DetectOff WatchListDetection = iota
	DetectNotified
	DetectUnasked
)

// heardProgress: etcd is taken to send progress by itself if some has come lately. etcd's ticker
// leaves out a watch that was sent an event since the last tick, so one period is too
// short, and a resource that is written all the time looks like an etcd that sends
// none. An answer to a request looks like any other progress, and requests end with the
// reads that wait: while a LIST waits, an etcd that sends no progress by itself seems
// to send some, unless requested progress does not count.
type heardProgress struct {
	// heard: progress has come that counts, the last at this time.
	heard bool
	last  sim.Time
	// asked: the cache has asked for progress, the last time then.
	asked   bool
	lastAsk sim.Time
}

// answerWithin is how long after a request progress is taken for the answer.
const answerWithin = time.Second

// heardProgress is called when progress of etcd has come out of the incoming channel.
func (d *Dispatcher) heardProgress(env *sim.Env) {
	switch d.cfg.Detection {
	case DetectOff:
		return
	case DetectUnasked:
		if p := d.progress.Read(env); p.asked && !env.Elapsed(p.lastAsk, answerWithin) {
			return
		}
	}
	p := d.progress.Change(env)
	p.heard, p.last = true, env.Now()
}

// ProgressRequested is called when the cache has asked etcd for progress.
func (d *Dispatcher) ProgressRequested(env *sim.Env) {
	if d.cfg.Detection != DetectOff {
		p := d.progress.Change(env)
		p.asked, p.lastAsk = true, env.Now()
	}
}

// seemsSilent: etcd seems to send no progress, so a watch with initial events is refused. A
// client-go that is refused lists instead.
func (d *Dispatcher) seemsSilent(env *sim.Env) bool {
	if d.cfg.Detection == DetectOff {
		return false
	}
	p := d.progress.Read(env)
	return !p.heard || env.Elapsed(p.last, d.cfg.NotifiedWithin)
}

// Upstream's error of an etcd that cannot be asked for progress has no code either.
var noProgressHeard = &wire.Error{Code: wire.Internal, Message: "sendInitialEvents needs progress notifications, and etcd seems to send none"}
