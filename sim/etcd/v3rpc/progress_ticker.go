package v3rpc

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// jitterSteps is how finely a timed run chooses a ticker's jitter.
const jitterSteps = 10

const (
	// defaultWatchProgressInterval is DefaultProgressReportInterval.
	defaultWatchProgressInterval = 10 * time.Minute
	// minWatchProgressInterval is what etcd raises a shorter interval to, with a
	// warning (NewWatchServer).
	minWatchProgressInterval = 100 * time.Millisecond
)

// startTicker is GetProgressReportInterval and NewTicker: the period is drawn
// once for a stream.
func (sws *ServerWatchStream) startTicker(env *sim.Env) {
	interval := sws.server.opts.ProgressNotifyInterval
	if interval == 0 {
		if env.Mode() == sim.Untimed {
			return
		}
		interval = defaultWatchProgressInterval
	}
	interval = max(interval, minWatchProgressInterval)
	period := interval
	if env.Mode() == sim.Timed {
		period += interval / 10 * sim.Duration(env.Choose(jitterSteps, "jitter of the progress ticker")) / jitterSteps
	}
	sws.progressTicker.Value().period = period
	env.Arm(sws.ticker(), period)
}

// ticker is progressTicker. Its channel holds one tick at most.
type ticker struct {
	period sim.Duration
	ticked bool
}

func (sws *ServerWatchStream) tick(env *sim.Env) {
	t := sws.progressTicker.Change(env)
	env.Arm(sws.ticker(), t.period)
	t.ticked = true
	if sws.send.state == selecting {
		env.Enable(sws.task(takeTicker))
	}
}

// takeTick is the case of progressTicker.C: a notification is requested for every
// watch with ProgressNotify that was sent no events since the last tick.
func (sws *ServerWatchStream) takeTick(env *sim.Env) {
	l := &sws.send
	sws.leavesSelect(env, ticking)
	sws.progressTicker.Read(env)
	sws.progressTicker.Change(env).ticked = false
	l.due = l.due[:0]
	for _, w := range sws.progress.Entries(env) {
		if w.Value == notifyTrue {
			sws.progress.Get(env, w.Key)
			l.due = append(l.due, w.Key)
		} else {
			env.Cover(coverTickElided)
			if sws.server.opts.ElidedTicks == ElidedForGood {
				continue
			}
		}
		sws.progress.Set(env, w.Key, notifyTrue)
	}
	sws.mu.Change(env).held = true
	sws.requestDue(env)
}

// elideOthers lets the next tick leave out the watches that were sent nothing, too.
func (sws *ServerWatchStream) elideOthers(env *sim.Env, sent int64) {
	for _, w := range sws.progress.Entries(env) {
		if w.Key != sent && w.Value == notifyTrue {
			sws.progress.Set(env, w.Key, notifyFalse)
		}
	}
}

// requestDue requests the progress of one watch, any of the remaining ones:
// upstream goes over a Go map. The store moves on in between.
func (sws *ServerWatchStream) requestDue(env *sim.Env) {
	l := &sws.send
	if len(l.due) > 0 {
		i := env.Choose(len(l.due), "next watch of the tick")
		id := l.due[i]
		l.due = append(l.due[:i], l.due[i+1:]...)
		env.Cover(coverTick)
		sws.watch.RequestProgress(env, id, sws.progressRule())
	}
	if len(l.due) > 0 {
		env.Enable(sws.task(continueSendLoop))
		return
	}
	mu := sws.mu.Change(env)
	wanted := mu.wanted
	*mu = mutex{}
	if wanted {
		env.Enable(sws.task(continueRecvLoop))
	}
	sws.enterSelect(env)
}
