package clientv3

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

func (s *Stream) task() sim.Task { return sim.Task(s.c.cfg.RunTask.Of(s.n)) }

// wakeRun lets run look at its channels, unless it sleeps.
func (s *Stream) wakeRun(env *sim.Env) {
	s.looksAt(env, cellRun)
	s.looksAt(env, cellReqc)
	s.looksAt(env, cellClosingc)
	if s.state == streamSelecting && s.reqc.Len()+s.closingc.Len() > 0 {
		env.Enable(s.task())
	}
}

// run is what run's select does with a request or a closing substream that had
// to wait.
func (s *Stream) run(env *sim.Env) {
	s.looksAt(env, cellReqc)
	s.looksAt(env, cellClosingc)
	takeRequest := s.reqc.Len() > 0
	if takeRequest && s.closingc.Len() > 0 {
		takeRequest = env.Choose(2, "select reqc or closingc") == 0
	}
	if takeRequest {
		s.takeRequest(env)
	} else {
		watch := s.closingc.Pop()
		s.takesItem(env, cellClosingc, watchItem(watch))
		s.closeSubstream(env, watch)
	}
	s.wakeRun(env)
}

func (s *Stream) takeRequest(env *sim.Env) {
	r := s.reqc.Pop()
	s.takesItem(env, cellReqc, r.item())
	if r.watch != noWatch {
		s.requested(env, r.watch)
		return
	}
	env.Under(r.cause)
	env.Send(s.conn, s.c.progressRequest(r.progress))
}

// withdraw takes back a request for a watch that run has not taken.
func (s *Stream) withdraw(env *sim.Env, watch int32) {
	s.writesItem(env, cellReqc, watchItem(watch))
	s.looksAt(env, cellClosingc)
	s.reqc.Delete(func(r request) bool { return r.watch == watch })
	if s.reqc.Len()+s.closingc.Len() == 0 {
		env.Disable(s.task())
	}
}

// requested queues a watch up for creation.
func (s *Stream) requested(env *sim.Env, watch int32) {
	env.Writes(cellSubstream, int(watch))
	s.c.watches[watch].state = substreamServed
	s.writesItem(env, cellResuming, watchItem(watch))
	s.resuming = append(s.resuming, watch)
	if len(s.resuming) > 1 {
		env.Cover(createWaits)
		createQueued.Say(env, s.c.watches[watch].Key, len(s.resuming)-1)
		return
	}
	s.sendCreate(env, watch)
}

func (s *Stream) sendCreate(env *sim.Env, watch int32) {
	w := s.c.watches[watch]
	env.Reads(cellNextRev, int(watch))
	switch {
	case w.created && w.progressed:
		watchResumesAtProgress.Say(env, w.Key, w.Rev)
	case w.created:
		watchResumes.Say(env, w.Key, w.Rev)
	}
	w.asked = w.Rev
	s.c.subscriber.Creating(env, watch)
	env.Under(w.Cause)
	env.Send(s.conn, w.create())
}

// nextResume sends the create request of the next watch in the queue. Entries
// that were abandoned are dropped.
func (s *Stream) nextResume(env *sim.Env) {
	s.writesItem(env, cellResuming, sim.NoItem)
	n := 0
	for n < len(s.resuming) && s.resuming[n] == noWatch {
		n++
	}
	s.resuming = slices.Delete(s.resuming, 0, n)
	if len(s.resuming) > 0 {
		s.readsItem(env, cellResuming, watchItem(s.resuming[0]))
		s.sendCreate(env, s.resuming[0])
	}
}

// closeSubstream is what run does when a substream's goroutine has ended.
func (s *Stream) closeSubstream(env *sim.Env, watch int32) {
	w := s.c.watches[watch]
	s.looksAt(env, cellSubstreams)
	s.looksAt(env, cellResuming)
	if s.closeErr != nil {
		s.reads(env, cellCloseErr)
	}
	id, cause := w.id, w.Cause
	switch at := slices.Index(s.resuming, watch); {
	case id != wire.InvalidWatchID:
		if at := slices.Index(s.substreams, watch); at >= 0 {
			s.takesItem(env, cellSubstreams, watchItem(watch))
			s.substreams = slices.Delete(s.substreams, at, at+1)
		}
	case at >= 0:
		env.Cover(abandonedInQueue)
		if at == 0 {
			env.Cover(abandonedBeforeCreated)
		}
		s.writesItem(env, cellResuming, watchItem(watch))
		s.resuming[at] = noWatch
	}
	w.close(env, s.closeErr)
	if len(s.substreams)+len(s.resuming) == 0 {
		env.Cover(lastWatchClosesStream)
		if !s.waitsForRefused(env, nil) {
			s.close(env, nil)
		}
		return
	}
	if id != wire.InvalidWatchID {
		env.Cover(cancelSent)
		env.Under(cause)
		s.cancelOnServer(env, id)
	}
	if s.hasNoWatch() {
		env.Cover(streamWithoutWatches)
	}
}

// failed is what run does when etcd ends the stream with an error. Only one that says
// that there is no leader comes over a stream that lives, and a new stream would have it
// too (isHaltErr, and the case of ErrNoLeader beside it).
func (s *Stream) failed(env *sim.Env, err *wire.Error) {
	if s.state == streamStuck {
		return
	}
	env.Cover(streamFailed)
	s.halt(env, err)
}

// errc is what run does when the stream to etcd ends.
func (s *Stream) errc(env *sim.Env, h *sim.Hangup) {
	if s.state == streamStuck {
		return
	}
	if !h.Broken {
		env.Cover(streamEnded)
		s.halt(env, errEndOfStream)
		return
	}
	env.Cover(streamBroke)
	if s.cur != nil {
		env.Cover(brokeBetweenFragments)
	}
	s.broke(env)
	// Without a clock the waiting time makes no difference, and should make none
	// between states.
	if env.Mode() == sim.Timed {
		s.writes(env, cellBackoff)
		s.backoff = s.c.nextBackoff(s.backoff)
	}
	s.writes(env, cellRun)
	s.state, s.conn = streamBackingOff, sim.NoConn
	env.Disable(s.task())
	env.Arm(sim.Timer(s.c.cfg.BackoffTimer.Of(s.n)), s.backoff)
}

// nextBackoff is backoffIfUnavailable: how long run sleeps before it opens a stream again, after it has slept for
// so long the last time.
func (c *Client) nextBackoff(last sim.Duration) sim.Duration {
	if c.cfg.BacksOffAsGRPC {
		// backoff.DefaultConfig of gRPC, without the jitter.
		return min(max(last*8/5, time.Second), 2*time.Minute)
	}
	return min(last+last/4, c.cfg.WatchBackoffMax)
}
