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
	sws.period = interval
	if env.Mode() == sim.Timed {
		sws.period += interval / 10 * sim.Duration(env.Choose(jitterSteps, "jitter of the progress ticker")) / jitterSteps
	}
	env.Arm(sws.ticker(), sws.period)
}

// tick: the ticker's channel holds one tick at most.
func (sws *ServerWatchStream) tick(env *sim.Env) {
	env.Arm(sws.ticker(), sws.period)
	sws.send.ticked = true
	env.Writes(cellTicker, sws.place)
	if sws.send.state == selecting {
		env.Enable(sws.task(takeTicker))
	}
}

// takeTick is the case of progressTicker.C: a notification is requested for every
// watch that asked for them and was sent no events since the last tick.
func (sws *ServerWatchStream) takeTick(env *sim.Env) {
	l := &sws.send
	sws.leavesSelect(env, ticking)
	l.ticked = false
	env.Reads(cellTicker, sws.place)
	env.Writes(cellTicker, sws.place)
	env.LooksAt(cellProgress, sws.place)
	l.due = l.due[:0]
	for i := range sws.flags {
		f := &sws.flags[i]
		if !f.progressNotify {
			continue
		}
		if f.progress {
			env.ReadsItem(cellProgress, sws.place, watchItem(f.id))
			l.due = append(l.due, f.id)
		} else {
			env.Cover(coverTickElided)
			if sws.server.opts.ElidedTicks == ElidedForGood {
				continue
			}
		}
		f.progress = true
		env.WritesItem(cellProgress, sws.place, watchItem(f.id))
	}
	sws.mu = true
	env.Writes(cellMu, sws.place)
	sws.requestDue(env)
}

// elideOthers lets the next tick leave out the watches that were sent nothing, too.
func (sws *ServerWatchStream) elideOthers(env *sim.Env, sent int64) {
	for i := range sws.flags {
		f := &sws.flags[i]
		if f.id == sent || !f.progress {
			continue
		}
		f.progress = false
		env.WritesItem(cellProgress, sws.place, watchItem(f.id))
	}
}

// requestDue requests the progress of one watch, any of those that are left:
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
	env.Writes(cellMu, sws.place)
	sws.mu = false
	if sws.muWanted {
		sws.muWanted = false
		env.Enable(sws.task(continueRecvLoop))
	}
	sws.selects(env)
}
