package etcd

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// jitterSteps is how finely a timed run chooses a ticker's jitter.
const jitterSteps = 10

// minWatchProgressInterval is what etcd raises a shorter interval to, with a
// warning (NewWatchServer).
const minWatchProgressInterval = 100 * time.Millisecond

// defaultWatchProgressInterval is DefaultProgressReportInterval.
const defaultWatchProgressInterval = 10 * time.Minute

// startTicker is GetProgressReportInterval and NewTicker: the period is drawn
// once for a stream.
func (sws *serverWatchStream) startTicker(env *sim.Env, interval sim.Duration) {
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

// fireTicker: the ticker's channel holds one tick at most.
func (s *Server) fireTicker(env *sim.Env, sws *serverWatchStream) {
	env.Arm(sws.ticker(), sws.period)
	sws.send.tick = true
	env.Writes(cellTicker, int(sws.slot))
	if sws.send.state == selecting {
		env.Enable(sws.task(takeTicker))
	}
}

// runTakeTicker is the case of progressTicker.C: a notification is requested for
// every watch that asked for them and was sent no events since the last tick.
func (s *Server) runTakeTicker(env *sim.Env, sws *serverWatchStream) {
	l := &sws.send
	sws.leavesSelect(env, ticking)
	l.tick = false
	env.Reads(cellTicker, int(sws.slot))
	env.Writes(cellTicker, int(sws.slot))
	env.LooksAt(cellFlags, int(sws.slot))
	l.due = l.due[:0]
	for i := range sws.flags {
		f := &sws.flags[i]
		if !f.progressNotify {
			continue
		}
		if f.progress {
			env.ReadsItem(cellFlags, int(sws.slot), watchItem(f.id))
			l.due = append(l.due, f.id)
		} else {
			env.Cover(coverTickElided)
		}
		f.progress = true
		env.WritesItem(cellFlags, int(sws.slot), watchItem(f.id))
	}
	sws.mu = true
	env.Writes(cellMu, int(sws.slot))
	s.requestDue(env, sws)
}

// requestDue requests the progress of one watch, any of those that are left:
// upstream goes over a Go map. The store moves on in between.
func (s *Server) requestDue(env *sim.Env, sws *serverWatchStream) {
	l := &sws.send
	if len(l.due) > 0 {
		i := env.Choose(len(l.due), "next watch of the tick")
		id := l.due[i]
		l.due = append(l.due[:i], l.due[i+1:]...)
		env.Cover(coverTick)
		s.requestProgressOf(env, sws, id)
	}
	if len(l.due) > 0 {
		env.Enable(sws.task(continueSendLoop))
		return
	}
	env.Writes(cellMu, int(sws.slot))
	sws.mu = false
	if sws.muWanted {
		sws.muWanted = false
		env.Enable(sws.task(continueRecvLoop))
	}
	s.selects(env, sws)
}

// requestProgressOf is watchStream.RequestProgress.
func (s *Server) requestProgressOf(env *sim.Env, sws *serverWatchStream, id int64) {
	env.LooksAt(cellStreamWatchers, int(sws.slot))
	wi, ok := s.find(sws, id)
	if !ok {
		return
	}
	s.readsRevision(env)
	if s.mayProgress(env, wi) && !s.send(env, wi, id, s.store.currentRev, nil) {
		env.Cover(coverProgressFull)
	}
}
