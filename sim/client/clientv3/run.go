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
	if s.loop.Look(env).state == streamSelecting && len(s.reqc.Look(env))+len(s.closingc.Look(env)) > 0 {
		env.Enable(s.task())
	}
}

// run is what run's select does with a request or a closing substream that had
// to wait.
func (s *Stream) run(env *sim.Env) {
	takeRequest, closes := len(s.reqc.Look(env)) > 0, len(s.closingc.Look(env)) > 0
	if takeRequest && closes {
		takeRequest = env.Choose(2, "select reqc or closingc") == 0
	}
	if takeRequest {
		s.takeRequest(env)
	} else {
		s.closeSubstream(env, s.closingc.Pop(env, 0))
	}
	s.wakeRun(env)
}

func (s *Stream) takeRequest(env *sim.Env) {
	r := s.reqc.Pop(env, 0)
	if r.watch != noWatch {
		s.requested(env, r.watch)
		return
	}
	env.Under(r.cause)
	env.Send(s.loop.Value().conn, s.c.progressRequest(r.progress))
}

// withdraw takes back a request for a watch that run has not taken.
func (s *Stream) withdraw(env *sim.Env, watch number) {
	s.reqc.Delete(env, func(r *request) bool { return r.watch == watch })
	if len(s.reqc.All())+len(s.closingc.Look(env)) == 0 {
		env.Disable(s.task())
	}
}

// requested queues a watch up for creation.
func (s *Stream) requested(env *sim.Env, watch number) {
	sub := s.watch(watch).sub.Change(env)
	sub.state = substreamServed
	s.resuming.Add(env, watch)
	if waits := len(s.resuming.All()) - 1; waits > 0 {
		env.Cover(createWaits)
		createQueued.Say(env, sub.Key, waits)
		return
	}
	s.sendCreate(env, watch)
}

func (s *Stream) sendCreate(env *sim.Env, watch number) {
	w := s.watch(watch)
	sub, rev := w.sub.Value(), w.nextRev.Get(env)
	switch {
	case sub.created && sub.progressed:
		watchResumesAtProgress.Say(env, sub.Key, rev)
	case sub.created:
		watchResumes.Say(env, sub.Key, rev)
	}
	sub.asked = rev
	s.c.subscriber.Creating(env, int32(watch))
	env.Under(sub.Cause)
	env.Send(s.loop.Value().conn, w.create())
}

// nextResume sends the create request of the next watch in the queue. Entries
// that were abandoned are dropped.
func (s *Stream) nextResume(env *sim.Env) {
	for len(s.resuming.Look(env)) > 0 {
		if next := s.resuming.Read(env, 0); next != noWatch {
			s.sendCreate(env, next)
			return
		}
		s.resuming.Pop(env, 0)
	}
}

// closeSubstream is what run does when a substream's goroutine has ended.
func (s *Stream) closeSubstream(env *sim.Env, watch number) {
	w := s.watch(watch)
	at, queued := s.substreams.Find(env, func(r registered) bool { return r.watch == watch }), slices.Index(s.resuming.Look(env), watch)
	id, cause := wire.InvalidWatchID, w.sub.Value().Cause
	switch {
	case at >= 0:
		id = s.substreams.Pop(env, at).id
	case queued >= 0:
		env.Cover(abandonedInQueue)
		if queued == 0 {
			env.Cover(abandonedBeforeCreated)
		}
		s.resuming.Put(env, queued, noWatch)
	}
	err := *s.closeErr.Look(env)
	if err != nil {
		s.closeErr.Read(env)
	}
	w.close(env, err)
	if len(s.substreams.All())+len(s.resuming.All()) == 0 {
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
	if s.loop.Value().state == streamStuck {
		return
	}
	env.Cover(streamFailed)
	s.halt(env, err)
}

// errc is what run does when the stream to etcd ends.
func (s *Stream) errc(env *sim.Env, h *sim.Hangup) {
	if s.loop.Value().state == streamStuck {
		return
	}
	if !h.Broken {
		env.Cover(streamEnded)
		s.halt(env, errEndOfStream)
		return
	}
	env.Cover(streamBroke)
	if *s.cur.Value() != nil {
		env.Cover(brokeBetweenFragments)
	}
	s.broke(env)
	// Without a clock the waiting time makes no difference, and should make none
	// between states.
	if env.Mode() == sim.Timed {
		s.backoff.Set(env, s.c.nextBackoff(*s.backoff.Value()))
	}
	l := s.loop.Change(env)
	l.state, l.conn = streamBackingOff, sim.NoConn
	env.Disable(s.task())
	env.Arm(sim.Timer(s.c.cfg.BackoffTimer.Of(s.n)), *s.backoff.Value())
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
