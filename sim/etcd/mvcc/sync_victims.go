package mvcc

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

// syncVictims is syncVictimsLoop, and the batches that wait for it.
type syncVictims struct {
	store *WatchableStore `cell:"-"`
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

// add is watchableStore.addVictim.
func (v *syncVictims) add(env *sim.Env, b []batch) {
	if len(b) == 0 {
		return
	}
	v.waiting = append(v.waiting, b)
	env.Writes(cellSyncVictimsLoop, 0)
	for i := range b {
		env.Writes(cellVictim, b[i].watcher.cell)
	}
	if v.state == victimsIdle {
		env.Disarm(syncVictimsTick)
		v.wake(env)
	} else {
		v.signal = true
	}
}

func (v *syncVictims) wake(env *sim.Env) {
	v.state = victimsTake
	env.Enable(syncVictimsLoop)
}

// run is one step of moveVictims. The loop holds no lock while it sends, so all kinds
// of things happen between the steps.
func (v *syncVictims) run(env *sim.Env) {
	env.Writes(cellSyncVictimsLoop, 0)
	if v.state != victimsSend {
		v.store.Publish(env)
	}
	switch v.state {
	case victimsTake:
		v.take(env)
	case victimsSend:
		v.sendNext(env)
		v.next(env)
	case victimsAssign:
		v.assign(env)
	}
}

// take takes all batches that wait.
func (v *syncVictims) take(env *sim.Env) {
	v.taken, v.waiting = append(v.taken[:0], v.waiting...), v.waiting[:0]
	for _, b := range v.taken {
		for i := range b {
			v.store.setGroup(env, b[i].watcher, inFlight)
		}
	}
	v.moved = 0
	if len(v.taken) == 0 {
		v.end(env)
		return
	}
	v.next(env)
}

// next decides between sending to one more watcher and assigning those of the
// batch.
func (v *syncVictims) next(env *sim.Env) {
	v.state = victimsAssign
	for i := range v.taken[0] {
		if !v.taken[0][i].sent {
			v.state = victimsSend
		}
	}
	env.Enable(syncVictimsLoop)
}

// sendNext tries one watcher of the batch; a batch is a Go map, so any of those
// that are left may be next.
func (v *syncVictims) sendNext(env *sim.Env) {
	b := v.taken[0]
	n := 0
	for i := range b {
		if !b[i].sent {
			n++
		}
	}
	pick := env.Choose(n, "next victim")
	for i := range b {
		switch {
		case b[i].sent:
		case pick > 0:
			pick--
		default:
			v.send(env, &b[i])
			return
		}
	}
}

func (v *syncVictims) send(env *sim.Env, b *batch) {
	w := b.watcher
	b.sent = true
	env.Reads(cellVictim, w.cell)
	env.Writes(cellVictim, w.cell)
	env.Reads(cellMinRev, w.cell)
	// The watcher has observed the store up to, but not including, minRev.
	if w.send(env, w.minRev-1, b.evs) {
		env.Cover(coverVictimSent)
		v.moved++
	} else {
		env.Cover(coverVictimStays)
		b.failed = true
	}
}

// assign puts the watchers that were sent to into the group where they belong. After
// the last batch the others wait again: that no cancel can look for them in between
// is because a cancel waits for the loop anyway.
func (v *syncVictims) assign(env *sim.Env) {
	for i := range v.taken[0] {
		b := &v.taken[0][i]
		w := b.watcher
		env.Reads(cellVictim, w.cell)
		env.Writes(cellVictim, w.cell)
		if b.failed {
			b.sent, b.failed = false, false
			v.left = append(v.left, *b)
			continue
		}
		if b.moreRev != 0 {
			w.setMinRev(env, b.moreRev)
		}
		env.Reads(cellMinRev, w.cell)
		if w.minRev <= v.store.Rev(env) {
			env.Cover(coverVictimUnsynced)
			victimUnsynced.Say(env, w.name(), w.minRev)
			v.store.setGroup(env, w, unsynced)
		} else {
			env.Cover(coverVictimSynced)
			victimSynced.Say(env, w.name())
			v.store.setGroup(env, w, synced)
		}
	}
	v.taken = append(v.taken[:0], v.taken[1:]...)
	if len(v.taken) > 0 {
		v.next(env)
	} else {
		v.putBack(env)
	}
	for _, ws := range v.store.streams {
		ws.owner.VictimsLanded(env)
	}
}

// putBack has those wait again that could not be sent to.
func (v *syncVictims) putBack(env *sim.Env) {
	if len(v.left) > 0 {
		for i := range v.left {
			v.store.setGroup(env, v.left[i].watcher, victim)
		}
		v.waiting = append(v.waiting, slices.Clone(v.left))
		v.left = v.left[:0]
	}
	v.end(env)
}

// end is the end of moveVictims: the loop goes on at once as long as it moves a
// watcher, and else sleeps until there is a new batch or the timer goes off.
func (v *syncVictims) end(env *sim.Env) {
	v.state = victimsIdle
	switch {
	case len(v.waiting) == 0:
		v.signal = false
	case v.moved > 0 || v.signal:
		v.signal = v.signal && v.moved > 0
		v.wake(env)
	case v.store.opts.AwaitsVictim:
		victimsLeft.Say(env, v.store.WaitingFrom())
	default:
		env.Arm(syncVictimsTick, v.store.opts.VictimInterval)
	}
}

// forget removes a cancelled watcher from the batch that waits with it.
func (v *syncVictims) forget(env *sim.Env, w *watcher) {
	for i, b := range v.waiting {
		for j := range b {
			if b[j].watcher != w {
				continue
			}
			env.Writes(cellSyncVictimsLoop, 0)
			env.Writes(cellVictim, w.cell)
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
