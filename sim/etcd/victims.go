package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// victimState is where syncVictimsLoop stands.
type victimState uint8

const (
	// victimsIdle: in its select, with or without the 10 ms timer.
	victimsIdle victimState = iota
	// victimsTake: about to take the batches that wait.
	victimsTake
	// victimsSend: about to send to the next watcher of the batch in its hands.
	victimsSend
	// victimsAssign: about to put the watchers of that batch into groups.
	victimsAssign
)

// victims is the state of syncVictimsLoop, and the batches that wait for it.
type victims struct {
	state victimState
	// waiting is watchableStore.victims.
	waiting [][]batch
	// signal is victimc: a batch was added since the loop last slept.
	signal bool

	// taken are the batches in the loop's hands, the first one being worked on;
	// left are those of its watchers that could not be sent to (newVictim), of
	// all batches so far; moved counts the others.
	taken [][]batch
	left  []batch
	moved int
}

// addVictim is watchableStore.addVictim.
func (s *Server) addVictim(env *sim.Env, b []batch) {
	if len(b) == 0 {
		return
	}
	v := &s.victims
	v.waiting = append(v.waiting, b)
	env.Writes(cellSyncVictimsLoop, 0)
	for i := range b {
		env.Writes(cellVictim, int(b[i].watcher))
	}
	if v.state == victimsIdle {
		env.Disarm(syncVictimsTick)
		s.wakeVictims(env)
	} else {
		v.signal = true
	}
}

func (s *Server) wakeVictims(env *sim.Env) {
	s.victims.state = victimsTake
	env.Enable(syncVictimsLoop)
}

// runSyncVictimsLoop is one step of moveVictims. The loop holds no lock while it
// sends, so all kinds of things happen between the steps.
func (s *Server) runSyncVictimsLoop(env *sim.Env) {
	v := &s.victims
	env.Writes(cellSyncVictimsLoop, 0)
	switch v.state {
	case victimsTake:
		v.taken, v.waiting = append(v.taken[:0], v.waiting...), v.waiting[:0]
		for _, b := range v.taken {
			for i := range b {
				s.setGroup(env, b[i].watcher, inFlight)
			}
		}
		v.moved = 0
		if len(v.taken) == 0 {
			s.endMoveVictims(env)
			return
		}
		s.nextVictim(env)
	case victimsSend:
		s.sendVictim(env)
		s.nextVictim(env)
	case victimsAssign:
		s.assignVictims(env)
	}
}

// nextVictim decides between sending to one more watcher and assigning those of
// the batch.
func (s *Server) nextVictim(env *sim.Env) {
	v := &s.victims
	v.state = victimsAssign
	for i := range v.taken[0] {
		if !v.taken[0][i].sent {
			v.state = victimsSend
		}
	}
	env.Enable(syncVictimsLoop)
}

// sendVictim tries one watcher of the batch; a batch is a Go map, so any of
// those that are left may be next.
func (s *Server) sendVictim(env *sim.Env) {
	b := s.victims.taken[0]
	n := 0
	for i := range b {
		if !b[i].sent {
			n++
		}
	}
	pick := env.Choose(n, "next victim")
	for i := range b {
		if b[i].sent {
			continue
		}
		if pick > 0 {
			pick--
			continue
		}
		w := &s.watchers[b[i].watcher]
		b[i].sent = true
		env.Reads(cellVictim, int(b[i].watcher))
		env.Writes(cellVictim, int(b[i].watcher))
		env.Reads(cellMinRev, int(b[i].watcher))
		// The watcher has observed the store up to, but not including, minRev.
		if s.send(env, b[i].watcher, w.id, w.minRev-1, b[i].evs) {
			env.Cover(coverVictimSent)
			s.victims.moved++
		} else {
			env.Cover(coverVictimStays)
			b[i].failed = true
		}
		return
	}
}

// assignVictims puts the watchers that were sent to into the group where they
// belong. After the last batch the others wait again: that nobody can look for
// them in between is because a cancel waits for the loop anyway.
func (s *Server) assignVictims(env *sim.Env) {
	v := &s.victims
	for i := range v.taken[0] {
		b := &v.taken[0][i]
		env.Reads(cellVictim, int(b.watcher))
		env.Writes(cellVictim, int(b.watcher))
		if b.failed {
			b.sent, b.failed = false, false
			v.left = append(v.left, *b)
			continue
		}
		w := &s.watchers[b.watcher]
		if b.moreRev != 0 {
			w.minRev = b.moreRev
			env.Writes(cellMinRev, int(b.watcher))
		}
		env.Reads(cellMinRev, int(b.watcher))
		s.readsRevision(env)
		if w.minRev <= s.store.currentRev {
			env.Cover(coverVictimUnsynced)
			s.setGroup(env, b.watcher, unsynced)
		} else {
			env.Cover(coverVictimSynced)
			s.setGroup(env, b.watcher, synced)
		}
	}
	v.taken = append(v.taken[:0], v.taken[1:]...)
	if len(v.taken) > 0 {
		s.nextVictim(env)
	} else {
		s.putBackVictims(env)
	}
	s.retryCancels(env)
}

func (s *Server) putBackVictims(env *sim.Env) {
	v := &s.victims
	if len(v.left) > 0 {
		for i := range v.left {
			s.setGroup(env, v.left[i].watcher, victim)
		}
		v.waiting = append(v.waiting, slices.Clone(v.left))
		v.left = v.left[:0]
	}
	s.endMoveVictims(env)
}

// endMoveVictims: the loop goes on at once as long as it moves somebody, and
// else sleeps until there is a new batch or the timer goes off.
func (s *Server) endMoveVictims(env *sim.Env) {
	v := &s.victims
	v.state = victimsIdle
	switch {
	case len(v.waiting) == 0:
		v.signal = false
	case v.moved > 0 || v.signal:
		v.signal = v.signal && v.moved > 0
		s.wakeVictims(env)
	default:
		env.Arm(syncVictimsTick, s.cfg.VictimInterval)
	}
}

// forgetVictim removes a cancelled watcher from the batch that waits with it.
func (s *Server) forgetVictim(env *sim.Env, wi int32) {
	v := &s.victims
	for i, b := range v.waiting {
		for j := range b {
			if b[j].watcher != wi {
				continue
			}
			env.Writes(cellSyncVictimsLoop, 0)
			env.Writes(cellVictim, int(wi))
			v.waiting[i] = append(b[:j], b[j+1:]...)
			if len(v.waiting[i]) == 0 {
				v.waiting = append(v.waiting[:i], v.waiting[i+1:]...)
			}
			if len(v.waiting) == 0 {
				env.Disarm(syncVictimsTick)
			}
			return
		}
	}
}
