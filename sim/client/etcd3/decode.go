package etcd3

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Decodes is how many events of a watch are decoded at the same time: processEventConcurrency.
const Decodes = 10

// slot is an entry of processingQueue: an event whose decode has begun, in the order in which
// events came.
type slot struct {
	event event
	// place is that of the goroutine which decodes it, the first free one.
	place int
	// done: the goroutine has put its result into the slot. It is an error if failed.
	done, failed bool
}

// schedules is scheduleEventProcessing for one event: it is given the next slot, and its decode
// begins. It returns false if there is no slot.
func (w *watchChan) schedules(env *sim.Env, e event) bool {
	slots := *w.slots.Look(env)
	if w.c.cfg.BookmarksPass && e.isProgress() && env.CanSend(w.loop.Value().conn) {
		if len(slots) > 0 {
			progressPasses.Say(env, e.rev, slots[0].event.rev)
		}
		w.sendEvent(env, e)
		return true
	}
	if len(slots) == Decodes {
		env.Cover(decodesFull)
		return false
	}
	place := 0
	for placed(slots, place) >= 0 {
		place++
	}
	w.slots.Set(env, append(slots, slot{event: e, place: place}))
	w.beginDecode(env, place, &e)
	return true
}

func placed(slots []slot, place int) int {
	return slices.IndexFunc(slots, func(s slot) bool { return s.place == place })
}

// beginDecode has an event be decoded at a place: at any time, or within the time that this
// takes. Progress has no object.
func (w *watchChan) beginDecode(env *sim.Env, place int, e *event) {
	took := w.c.cfg.DecodeTime
	if took == 0 || e.isProgress() {
		env.Enable(w.decodeTask(place))
		return
	}
	timer := w.decodeTimer(place)
	if env.Armed(timer) {
		return
	}
	if env.Mode() == sim.Timed {
		took -= sim.Duration(env.Choose(decodeSteps, "decode time")) * took / (2 * decodeSteps)
	}
	env.Arm(timer, took)
}

// decodeSteps is how many values a decode time has, from the longest down to more than half.
const decodeSteps = 4

func (w *watchChan) decodeTask(place int) sim.Task {
	return sim.Task(w.c.cfg.DecodeTask.Of(w.n) + place)
}

func (w *watchChan) decodeTimer(place int) sim.Timer {
	return sim.Timer(w.c.cfg.DecodeTimer.Of(w.n) + place)
}

// Decoded is the end of a decode: of the watch with a number, at a place.
func (c *Watcher) Decoded(env *sim.Env, watch, place int) {
	if w := c.watches.At(watch); w.c.cfg.DecodesConcurrently {
		w.decoded(env, place)
	} else {
		w.processEvents(env)
	}
}

// DecodeName names the decode at a place.
func (c *Watcher) DecodeName(watch, place int) string {
	return "decode " + c.watches.At(watch).name() + " " + strconv.Itoa(place)
}

// decoded puts a result into its slot, and lets collectEventProcessing look.
func (w *watchChan) decoded(env *sim.Env, place int) {
	w.slots.Read(env)
	slots := *w.slots.Change(env)
	i := placed(slots, place)
	s := &slots[i]
	s.done, s.failed = true, w.decodeFails(env, &s.event)
	if i > 0 && !slots[0].done {
		env.Cover(decodedOutOfOrder)
	}
	w.collect(env)
}

// collect is collectEventProcessing, as far as results are there and resultChan has room. What
// it takes makes room for the scheduler.
func (w *watchChan) collect(env *sim.Env) {
	for {
		slots := *w.slots.Look(env)
		i := slices.IndexFunc(slots, func(s slot) bool { return s.done })
		if i < 0 || i > 0 && !w.c.cfg.CollectsAsReady {
			return
		}
		if !slots[i].failed && !env.CanSend(w.loop.Value().conn) {
			env.Cover(resultChanFull)
			return
		}
		w.slots.Read(env)
		s := slots[i]
		if i > 0 {
			sentPast.Say(env, s.event.rev, slots[0].event.rev)
		}
		w.slots.Set(env, slices.Delete(slots, i, i+1))
		switch {
		case !s.failed:
			w.sendEvent(env, s.event)
		case !w.c.cfg.DecodeErrorsAside:
			w.stopDecodes(env)
			w.incomingEventChan.Clear(env)
			w.fail(env, errDecode)
			return
		default:
			leftOut.Say(env, s.event.rev)
			w.failAside(env)
		}
		w.scheduleNext(env)
	}
}

// scheduleNext is a turn of scheduleEventProcessing: a slot is free.
func (w *watchChan) scheduleNext(env *sim.Env) {
	for w.incomingEventChan.Look(env).Len() > 0 && len(*w.slots.Value()) < Decodes {
		e := w.incomingEventChan.Pop(env)
		w.wakeWhenRoom(env)
		w.schedules(env, e)
	}
}

// stopDecodes ends what is decoded: the context is cancelled.
func (w *watchChan) stopDecodes(env *sim.Env) {
	if !w.c.cfg.DecodesConcurrently {
		if w.c.cfg.DecodeTime > 0 {
			env.Disarm(w.decodeTimer(0))
			env.Disable(w.decodeTask(0))
		}
		return
	}
	for _, s := range *w.slots.Value() {
		if s.done {
			continue
		}
		env.Disable(w.decodeTask(s.place))
		if w.c.cfg.DecodeTime > 0 {
			env.Disarm(w.decodeTimer(s.place))
		}
	}
	w.slots.Set(env, nil)
}

// decodeFails settles whether an object cannot be decoded, as long as some may not: its bytes
// are corrupt, or a conversion webhook does not answer.
func (w *watchChan) decodeFails(env *sim.Env, e *event) bool {
	c := w.c
	if e.isProgress() {
		return false
	}
	if c.isUndecodable(e.object()) {
		env.Cover(undecodableMet)
		return true
	}
	if c.cfg.DecodeFailures == 0 {
		return false
	}
	if c.decodeFailures.Get(env) == 0 || env.Choose(2, "decode fails") == 0 {
		return false
	}
	*c.decodeFailures.Change(env)--
	env.Cover(decodeFailed)
	return true
}

// failAside reports an error past what is decoded and queued, and what comes.
func (w *watchChan) failAside(env *sim.Env) {
	w.err.Set(env, errDecode)
	w.loop.Change(env).state = watchFailing
	env.Enable(w.startWatchingTask())
}

// isUndecodable reports whether an object never can be decoded.
func (c *Watcher) isUndecodable(kv *wire.KeyValue) bool {
	return c.cfg.Undecodable != "" && kv != nil && kv.Value == c.cfg.Undecodable
}

// DecodeAnswer is what the store makes of the answer to a read: an error if an object in it cannot be decoded
// (store.Get, store.GetList).
func (c *Watcher) DecodeAnswer(env *sim.Env, p sim.Payload) sim.Payload {
	if resp, ok := p.(*wire.RangeResponse); ok && slices.ContainsFunc(resp.Kvs, c.isUndecodable) {
		env.Cover(undecodableRead)
		return errDecode
	}
	return p
}

var errDecode = &wire.Error{Code: wire.Internal, Message: "an object from etcd cannot be decoded"}

// DecodeOptions are how events become objects.
type DecodeOptions struct {
	// DecodesConcurrently is the gate ConcurrentWatchObjectDecode, by default from Kubernetes 1.37 on:
	// concurrentProcessEvents in place of serialProcessEvents.
	DecodesConcurrently bool
	// CollectsAsReady: collectEventProcessing takes whichever event is decoded.
	CollectsAsReady bool
	// BookmarksPass: progress is sent past the events that are still decoded.
	BookmarksPass bool
	// DecodeErrorsAside: the error of a decode is reported past the slots, and its event is left out.
	DecodeErrorsAside bool
	// DecodeTime is the longest time that the decode of an object takes.
	DecodeTime sim.Duration
	// DecodeFailures is how many objects at most cannot be decoded.
	DecodeFailures int
	// Undecodable is the value of objects that cannot be decoded wherever they are met, empty if there is none: bytes
	// in etcd that are corrupt, or no webhook that converts them.
	Undecodable string
}

var decodeChoices = option.NewGroup("client",
	option.Either("watch-decode", func(o *DecodeOptions) *bool { return &o.DecodesConcurrently },
		"how many events of a watch etcd3 decodes at the same time (ConcurrentWatchObjectDecode, KEP-6178)",
		option.Off("serial", "one: up to Kubernetes 1.36"),
		option.Val("concurrent", "ten, and sends them in the order in which they came")),
	option.Either("decode-order", func(o *DecodeOptions) *bool { return &o.CollectsAsReady }, "which decoded event a watch sends next, if several are decoded at the same time",
		option.Val("as-they-came", "the one that came first, when it is decoded"),
		option.Bug("as-ready", "whichever is decoded")),
	option.Either("bookmark-slot", func(o *DecodeOptions) *bool { return &o.BookmarksPass }, "what progress does behind events that are still decoded",
		option.Val("taken", "it takes a slot, and waits for them"),
		option.Bug("none", "it is sent past them")),
	option.Either("decode-error", func(o *DecodeOptions) *bool { return &o.DecodeErrorsAside }, "what becomes of an object that cannot be decoded",
		option.Val("in-slot", "an error in its place ends the watch"),
		option.Bug("aside", "its event is left out, and the error is reported past what is decoded")),
)

var decodeAmounts = option.NewGroup("client",
	option.Duration("decode-time", func(o *DecodeOptions) *time.Duration { return &o.DecodeTime }, "none", "the longest that etcd3 needs for the object of an event, such as a conversion webhook; at least half of it"),
	option.Text("undecodable", func(o *DecodeOptions) *string { return &o.Undecodable }, anyValue, "a value, such as w1.2, the second that writer-1 writes", "the value of an object that etcd3 cannot decode, in watches, lists and gets, until it is written anew"),
	option.Count("decode-failures", func(o *DecodeOptions) *int { return &o.DecodeFailures }, "none", "objects at most that etcd3 cannot decode, of those that come on watches"),
)

func anyValue(string) error { return nil }
