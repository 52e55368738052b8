package informers

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// HandlerKnows compares what a handler was told with the store of its informer, whenever nothing waits to be told
// to it. It is exercised by each of these moments at which the handler knows of something.
var HandlerKnows = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-knows", Kind: testbed.Safety,
	Promise:  "A handler to which nothing waits to be told knows exactly what is in the store of its informer, from when it was added.",
	Violated: "handler differs from the store",
	Labels: map[string]string{
		"missing": "handler never told of an object", "ghost": "handler never told of a deletion", "stale": "handler never told of a change",
	},
	Weight:  2,
	Monitor: testbed.Monitor{Runs: testbed.EveryRun},
	New:     testbed.EachInformer(handlerKnows),
})

func handlerKnows(_ *testbed.System, _ *sim.World, n *testbed.Informer, _ *struct{}, all *testbed.Tally) {
	s := n.Shared()
	if s == nil || !s.Idle() {
		return
	}
	for i, h := range s.Handlers() {
		if !h.Listens() || h.Pending() > 0 || s.Len()+h.Len() == 0 {
			continue
		}
		all.Exercised++
		differ(all, n, i, h)
	}
}

// differ notes the first object of which a handler knows something else than the store. Where the
// object is gone it is about the state without it.
func differ(all *testbed.Tally, n *testbed.Informer, i int, h *shared.Handler) {
	s, same := n.Shared(), true
	wrong := func(label string, kv *wire.KeyValue, revision int64, format string, args ...any) {
		same = false
		all.Violatef(label, testbed.Concern{Node: n.Name, Key: kv.Key, Revision: revision}, "%s is to be told nothing more, and "+format,
			append([]any{handlerName(n, i)}, args...)...)
	}
	s.Ascend(func(kv *wire.KeyValue) bool {
		switch known := h.Get(kv.Key); {
		case known == nil:
			wrong("missing", kv, kv.ModRevision, "does not know of %s of revision %d, which is in the store", kv.Key, kv.ModRevision)
		case *known != *kv:
			wrong("stale", kv, kv.ModRevision, "still knows revision %d of %s; the store has revision %d", known.ModRevision, kv.Key, kv.ModRevision)
		}
		return same
	})
	if !same || s.Len() == h.Len() {
		return
	}
	h.Ascend(func(kv *wire.KeyValue) bool {
		if s.Get(kv.Key) == nil {
			wrong("ghost", kv, s.Version(), "still knows of %s of revision %d, which is not in the store", kv.Key, kv.ModRevision)
		}
		return same
	})
}

// HandlerOrder judges each notification by what its handler was told of the same object before. It is exercised
// by each notification.
var HandlerOrder = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-order", Kind: testbed.Safety,
	Promise:  "A handler is told that an object was added only if it knows of none, and that it has changed or was deleted only from the state that it knows.",
	Violated: "handler told out of order",
	Labels: map[string]string{
		"again": "handler told twice of an object", "unknown": "handler told of an unknown one",
		"skipped": "handler not told of a state",
	},
	Weight:  2,
	Monitor: testbed.Monitor{Runs: testbed.EveryRun},
	New:     testbed.EachInformer(handlerOrder),
})

func handlerOrder(_ *testbed.System, _ *sim.World, n *testbed.Informer, seen *seen, all *testbed.Tally) {
	for i, h := range seen.told(n) {
		all.Exercised++
		last, had, label := h.Last(), h.Had(), ""
		switch {
		case last.Kind == shared.Added && had != nil:
			label = "again"
		case last.Kind != shared.Added && had == nil:
			label = "unknown"
		case last.Kind == shared.Updated && *last.Old != *had:
			label = "skipped"
		}
		if label != "" {
			misled(all, label, n, i, h)
		}
	}
}

// noise is by how much two resyncs may be nearer to each other, or further apart, than the periods say: what is queued
// before a notification takes its time.
const noise = time.Second

// resyncs are those of a shared informer's process in a run with a clock. A handler gets one in each of its periods, at
// the first look of the informer after that, which comes once in the period of checks. Looks begin anew with each
// ListAndWatch, as in client-go.
type resyncs struct {
	process int
	// looks: the goroutine of the resyncs runs, since then. filled is since when there is something in the store,
	// listed when the last list came.
	looks                 bool
	since, filled, listed sim.Time
	empty                 bool
	lists                 int
	handlers              []handlerTimes
}

// handlerTimes are those of one handler: since when it listens, and when it was last told of each object, once more or
// anything.
type handlerTimes struct {
	listens   bool
	since     sim.Time
	of, heard map[string]sim.Time
}

// follow takes in what has become of an informer in a step.
func (r *resyncs) follow(w *sim.World, n *testbed.Informer) {
	s, record := n.Shared(), n.Record()
	if r.process != record.Restarts || r.handlers == nil {
		*r = resyncs{process: record.Restarts, empty: true, handlers: make([]handlerTimes, len(s.Handlers()))}
	}
	if lists := record.Listed + record.Streamed; lists != r.lists {
		r.lists, r.listed = lists, w.Now()
	}
	if s.Resyncing() && !r.looks {
		r.since = w.Now()
	}
	r.looks = s.Resyncing()
	if r.empty && s.Len() > 0 {
		r.filled = w.Now()
	}
	r.empty = s.Len() == 0
	for i, h := range s.Handlers() {
		if t := &r.handlers[i]; h.Listens() != t.listens {
			*t = handlerTimes{listens: h.Listens(), since: w.Now(), of: map[string]sim.Time{}, heard: map[string]sim.Time{}}
		}
	}
}

// again takes in that a handler was told something once more, and notes if that was too soon. A list tells it, too.
func (r *resyncs) again(all *testbed.Tally, w *sim.World, n *testbed.Informer, i int, key string) {
	t := &r.handlers[i]
	before, known := t.of[key]
	t.of[key] = w.Now()
	period := n.Shared().Handlers()[i].Period()
	if known && before.Sub(r.listed) > noise && w.Now().Sub(before) < period-noise {
		wrong(all, "early", n, "%s was told of %s at %v, and %v later once more, and its resync period is %v",
			handlerName(n, i), key, time.Duration(before), w.Now().Sub(before), period)
	}
}

// take takes in that a handler was told of an object.
func (r *resyncs) take(w *sim.World, i int, of shared.Notification) {
	if kv := cmp.Or(of.New, of.Old); kv != nil {
		r.handlers[i].heard[kv.Key] = w.Now()
	}
}

// overdue notes a handler that waits for too long until it is told once more of an object that it knows and that is
// there.
func (r *resyncs) overdue(all *testbed.Tally, w *sim.World, n *testbed.Informer) {
	s := n.Shared()
	if !r.looks || r.empty {
		return
	}
	for i, h := range s.Handlers() {
		t := &r.handlers[i]
		begun := max(r.since, r.filled, t.since)
		if !h.Listens() || h.Period() == 0 || w.Now().Sub(begun) <= within(s, h) {
			continue
		}
		h.Ascend(func(kv *wire.KeyValue) bool {
			waits := w.Now().Sub(max(begun, t.heard[kv.Key]))
			late := waits > within(s, h) && s.Get(kv.Key) != nil
			if late {
				wrong(all, "late", n, "%s was told nothing of %s for %v, and its resync period is %v", handlerName(n, i), kv.Key, waits, h.Period())
			}
			return !late
		})
	}
}

// within is how long a handler may wait for a resync.
func within(s *shared.Informer, h *shared.Handler) sim.Duration {
	return h.Period() + s.CheckPeriod() + noise
}

// HandlerResyncs judges what handlers are told once more, of a resync or of a list in which an object has not
// changed, and in runs with a clock also when. It is exercised by each such notification.
var HandlerResyncs = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-resyncs", Kind: testbed.Safety,
	Promise:  "What a handler is told once more is there, and as the handler knows it; with a clock it is told of each object once in each of its resync periods, and as soon as the informer looks for that.",
	Violated: "resync of what is not so",
	Labels: map[string]string{
		"gone": "resync of what is not there", "old": "resync of an earlier state",
		"early": "resync before its time", "late": "no resync in its time",
	},
	Weight:  2,
	Monitor: testbed.Monitor{Runs: testbed.Untimed},
	New:     testbed.EachInformer(handlerResyncs),
})

// seenResyncs is what was seen of an informer.
type seenResyncs struct {
	seen
	resyncs
}

func handlerResyncs(_ *testbed.System, w *sim.World, n *testbed.Informer, seen *seenResyncs, all *testbed.Tally) {
	if n.Shared() == nil {
		return
	}
	timed := w.Mode() == sim.Timed
	if timed {
		seen.follow(w, n)
		seen.overdue(all, w, n)
	}
	for i, h := range seen.told(n) {
		last, had := h.Last(), h.Had()
		if timed {
			seen.take(w, i, last)
		}
		if !last.Resyncs() {
			continue
		}
		all.Exercised++
		switch {
		case had == nil:
			misled(all, "gone", n, i, h)
		case *had != *last.New:
			misled(all, "old", n, i, h)
		}
		if timed {
			seen.again(all, w, n, i, last.New.Key)
		}
	}
}

// seen is what the handlers of an informer were told in its process after the last step, for judges of
// single notifications.
type seen struct {
	process  int
	handlers []seenHandler
}

type seenHandler struct {
	told   int
	synced bool
}

// of are the handlers of an informer as they were after the last step.
func (v *seen) of(n *testbed.Informer) []seenHandler {
	if now := n.Record().Restarts; now != v.process || v.handlers == nil {
		*v = seen{now, make([]seenHandler, len(n.Shared().Handlers()))}
	}
	return v.handlers
}

// told are the handlers that were told something in a step.
func (v *seen) told(n *testbed.Informer) iter.Seq2[int, *shared.Handler] {
	return func(yield func(int, *shared.Handler) bool) {
		s := n.Shared()
		if s == nil {
			return
		}
		before := v.of(n)
		for i, h := range s.Handlers() {
			more := h.Told() > before[i].told
			before[i].told = h.Told()
			if more && !yield(i, h) {
				return
			}
		}
	}
}

// handlerName is that of a handler in findings.
func handlerName(n *testbed.Informer, i int) string {
	return fmt.Sprintf("handler %d of %s", i+1, n.Name)
}

// wrong notes what is wrong with an informer.
func wrong(all *testbed.Tally, label string, n *testbed.Informer, format string, args ...any) {
	all.Violatef(label, testbed.Concern{Node: n.Name}, format, args...)
}

// misled notes a handler that was told something that does not follow.
func misled(all *testbed.Tally, label string, n *testbed.Informer, i int, h *shared.Handler) {
	last, knows := h.Last(), "knows of no such object"
	if had := h.Had(); had != nil {
		knows = fmt.Sprintf("knows of revision %d", had.ModRevision)
	}
	kv := last.Object()
	all.Violatef(label, testbed.Concern{Node: n.Name, Key: kv.Key, Revision: kv.ModRevision}, "%s is told that %s, and %s", handlerName(n, i), notice(&last), knows)
}

// notice is a notification in words.
func notice(n *shared.Notification) string {
	kv := n.Object()
	of := fmt.Sprintf("%s of revision %d", kv.Key, kv.ModRevision)
	switch {
	case n.Kind == shared.Added:
		return of + " was added"
	case n.Kind == shared.Deleted:
		return of + " was deleted"
	case n.Resyncs():
		return of + " is still so"
	}
	return fmt.Sprintf("%s of revision %d is now %s", kv.Key, n.Old.ModRevision, of)
}

// HandlersRest judges the end of a run: when nothing more can happen, in a timed run when its time is over. It is
// exercised by each shared informer once.
var HandlersRest = testbed.RegisterProperty(&testbed.Property{
	Name: "handlers-come-to-rest", Kind: testbed.Liveness,
	Promise:  "At the end every handler has been added, has synced and knows what etcd has, and an informer that was stopped has ended.",
	Violated: "handler never comes to rest",
	Labels: map[string]string{
		"deadlock": "goroutines wait for each other", "unsynced": "handler never syncs", "behind": "handler never catches up",
		"waiting": "handler never told", "stopped": "informer never ends",
	},
	Weight:  1,
	Monitor: testbed.Monitor{Runs: testbed.EveryRun},
	New:     testbed.Recorded(handlersRest),
})

func handlersRest(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, n := range s.Informers() {
		of := n.Shared()
		if of == nil {
			continue
		}
		over := s.IsOver(w)
		if !over && !n.HandlersDone() {
			continue
		}
		all.Exercised++
		if waits := of.Waits(); over && waits != "" {
			wrong(all, "deadlock", n, "%s hangs: %s", n.Name, waits)
			continue
		}
		if over && of.Stopping() {
			wrong(all, "stopped", n, "%s was stopped and never ends, although none of its goroutines waits for another", n.Name)
			continue
		}
		if !over && !s.Current(n) {
			continue
		}
		for i, h := range of.Handlers() {
			if h.Removed() {
				continue
			}
			name := handlerName(n, i)
			switch {
			case !h.Listens():
				wrong(all, "waiting", n, "%s is never added", name)
			case h.Pending() > 0:
				wrong(all, "waiting", n, "%s is never told of %d changes", name, h.Pending())
			case !h.HasSynced():
				wrong(all, "unsynced", n, "%s never syncs: %s", name, of.Unsynced())
			default:
				if d := s.Compare(n, s.Truth().Revision(), func(f func(*wire.KeyValue) bool) { h.Ascend(f) }); d != nil {
					wrong(all, "behind", n, "%s is never told: %v", name, d)
				}
			}
		}
	}
}

// HandlerSynced judges what HasSynced of an informer and of a handler's registration says: that controllers may
// begin. The states are those of the ground truth. It is exercised by each handler that has synced, once, and by
// each notification of the initial list.
var HandlerSynced = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-synced", Kind: testbed.Safety,
	Promise:  "An informer has synced only when its store has the first list, and a handler only when it was told of all of it, or of all that there was when it was added; what it is told later is not of the initial list.",
	Violated: "synced too early",
	Labels: map[string]string{
		"informer": "informer synced too early", "handler": "handler synced too early", "late": "initial list goes on too long",
	},
	Weight:  2,
	Monitor: testbed.Monitor{Runs: testbed.EveryRun},
	New:     testbed.EachInformer(handlerSynced),
})

func handlerSynced(s *testbed.System, _ *sim.World, n *testbed.Informer, seen *seen, all *testbed.Tally) {
	of := n.Shared()
	if of == nil {
		return
	}
	before := seen.of(n)
	for i, h := range seen.told(n) {
		if !h.Last().Initial {
			continue
		}
		all.Exercised++
		if before[i].synced {
			wrong(all, "late", n, "%s is told of an object of the initial list after it had synced", handlerName(n, i))
		}
	}
	if of.HasSynced() && !n.Synced() && lists(s, n, of.First()) {
		all.Exercised++
		wrong(all, "informer", n, "%s has synced, and its store is empty", n.Name)
	}
	for i, h := range of.Handlers() {
		if h.HasSynced() && !before[i].synced && !h.Removed() {
			before[i].synced = true
			knowsList(s, n, i, h, all)
		}
	}
}

// lists reports whether there was an object at a resourceVersion.
func lists(s *testbed.System, n *testbed.Informer, version int64) bool {
	there := false
	if listed := s.Truth().At(version); listed != nil {
		listed.Ascend(n.Prefix(), model.PrefixEnd(n.Prefix()), func(*model.Item) bool {
			there = true
			return false
		})
	}
	return there
}

// knowsList looks for an object that the handler was never told of.
func knowsList(s *testbed.System, n *testbed.Informer, i int, h *shared.Handler, all *testbed.Tally) {
	all.Exercised++
	since, t := max(h.Joined(), n.Shared().First()), s.Truth()
	listed := t.At(since)
	if listed == nil {
		return
	}
	listed.Ascend(n.Prefix(), model.PrefixEnd(n.Prefix()), func(it *model.Item) bool {
		if h.Joined() > 0 && it.ModRevision > h.Joined() {
			// The store had gone back behind its first list when the handler was added.
			return true
		}
		if heard := h.Heard(it.Key); heard == nil || heard.ModRevision < it.ModRevision {
			wrong(all, "handler", n, "%s has synced, and was not told of %s of revision %d", handlerName(n, i), it.Key, it.ModRevision)
		}
		return !all.Violated()
	})
}
