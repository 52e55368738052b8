package mvcc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
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
	state.Cell[syncVictims] `cell:"etcd: syncVictimsLoop"`

	store *WatchableStore `cell:"-"`
	state victimState
	// waiting is watchableStore.victims.
	waiting [][]*watcher
	// signal is victimc: a batch was added since the loop last slept.
	signal bool

	// taken are the batches in the loop's hands, the first one being worked on;
	// left are those of its watchers that could not be sent to (newVictim), of
	// all batches so far; moved counts the others.
	taken [][]*watcher
	left  []*watcher
	moved int
}

// Clear makes it a new one, and keeps its memory.
func (v *syncVictims) Clear() {
	*v = syncVictims{Cell: v.Cell, store: v.store, waiting: v.waiting[:0], taken: v.taken[:0], left: v.left[:0]}
}

// add is watchableStore.addVictim.
func (v *syncVictims) add(env *sim.Env, b []*watcher) {
	if len(b) == 0 {
		return
	}
	v.Change(env)
	v.waiting = append(v.waiting, b)
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
	if v.Change(env).state != victimsSend {
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
		for _, w := range b {
			v.store.setGroup(env, w, inFlight)
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
	for _, w := range v.taken[0] {
		if !w.batch.Value().sent {
			v.state = victimsSend
		}
	}
	env.Enable(syncVictimsLoop)
}

// sendNext tries one watcher of the batch; a batch is a Go map, so any of those
// that are left may be next.
func (v *syncVictims) sendNext(env *sim.Env) {
	var left []*watcher
	for _, w := range v.taken[0] {
		if !w.batch.Value().sent {
			left = append(left, w)
		}
	}
	v.send(env, left[env.Choose(len(left), "next victim")])
}

func (v *syncVictims) send(env *sim.Env, w *watcher) {
	w.batch.Read(env)
	b := w.batch.Change(env)
	b.sent = true
	// The watcher has observed the store up to, but not including, minRev.
	if w.send(env, w.minRev.Get(env)-1, b.evs) {
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
	for _, w := range v.taken[0] {
		w.batch.Read(env)
		b := w.batch.Change(env)
		if b.failed {
			b.sent, b.failed = false, false
			v.left = append(v.left, w)
			continue
		}
		if b.moreRev != 0 {
			w.minRev.Set(env, b.moreRev)
		}
		*b = eventBatch{}
		if minRev := w.minRev.Get(env); minRev <= v.store.Rev(env) {
			env.Cover(coverVictimUnsynced)
			victimUnsynced.Say(env, w.name(), minRev)
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
	for _, ws := range v.store.streams.All() {
		ws.owner.VictimsLanded(env)
	}
}

// putBack has those wait again that could not be sent to.
func (v *syncVictims) putBack(env *sim.Env) {
	if len(v.left) > 0 {
		for _, w := range v.left {
			v.store.setGroup(env, w, victim)
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
	v.Change(env)
	w.batch.Set(env, eventBatch{})
	for i, b := range v.waiting {
		v.waiting[i] = slices.DeleteFunc(b, func(other *watcher) bool { return other == w })
	}
	v.waiting = slices.DeleteFunc(v.waiting, func(b []*watcher) bool { return len(b) == 0 })
	if len(v.waiting) == 0 {
		env.Disarm(syncVictimsTick)
	}
}
