package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/check/recorded"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// judge holds what clients are answered to etcd's promises while they go on, in windows.
//
// A window ends at a revision: the newest that any answer had before a tick of the clock, the cut. All writes up to that
// revision were called before the cut, so they are known when each write called before it is settled. What was answered
// at a later revision is of the next window: none of that was over before the cut, so no order in real time is lost
// between two windows. A window is judged with the writes of the one before it, which a late event or read may show.
type judge struct {
	// list is the store at a revision, or now if that is 0.
	list func(ctx context.Context, revision int64) (*model.Initial, error)
	// say prints a line, keep writes a history to a file and returns its name.
	say  func(format string, args ...any)
	keep func(*model.History) (string, error)
	// whole: no other client writes below the prefix.
	whole bool
	// prefix is that of all keys.
	prefix string
	every  time.Duration
	// most is how much comes in a window before it is cut, limit before it is given up.
	most, limit int

	clock *atomic.Int64
	mu    sync.Mutex
	// pending are requests without an answer, and their clients.
	pending map[*model.Operation]string
	ops     []settled
	watches map[string]*followed
	// arrived is what came since the last cut, lost is set if it was too much.
	arrived int
	lost    bool
	// strays are events that came again or too late, and are older than what is kept.
	strays []string

	// begin is the store before the older of two windows, newest that at the end of the last one.
	begin, newest model.Initial
	// begun and cutAt are the ticks at which they were cut.
	begun, cutAt int64
	// older are the writes of the last window, open those of unknown outcome.
	older, open []settled
	// givenUp are writes that were not answered when their window was judged.
	givenUp map[*model.Operation]bool
	told    map[string]bool
	report  tally
}

// settled is an operation of a client that is over.
type settled struct {
	client string
	model.Operation
	// at is when a write of unknown outcome ended.
	at time.Time
}

// followed is a watch: what was sent of it since the older of two windows began.
type followed struct {
	request   model.WatchRequest
	responses []model.WatchResponse
	// start is the first revision, 0 until it is known. last is that of the newest event.
	start, last int64
	// doubtful is up to where previous values may lack: every release of etcd stores that they are wanted when the watch
	// is registered already.
	doubtful    int64
	fresh, over bool
}

// tally is what became of all windows.
type tally struct {
	windows, operations, events int
	// skipped are reads and events of revisions before the windows that are kept.
	skipped    int
	violations int
	properties map[string]*[4]int
	// why has the first reason of each property without a verdict.
	why map[string]string
}

func newJudge(clock *atomic.Int64, initial model.Initial) *judge {
	return &judge{
		clock: clock, begin: initial, newest: initial, every: 5 * time.Second, most: 2000, limit: 200_000,
		pending: map[*model.Operation]string{}, watches: map[string]*followed{}, givenUp: map[*model.Operation]bool{}, told: map[string]bool{},
		report: tally{properties: map[string]*[4]int{}, why: map[string]string{}},
	}
}

func weigh(items []*model.Item) (w int) {
	for _, it := range items {
		w += 1 + len(it.Value)>>9
	}
	return w
}

// called gives a request its tick.
func (g *judge) called(client string, op *model.Operation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	op.Call = g.clock.Add(1)
	g.pending[op] = client
}

// settled takes an operation that is over, without an answer if none is to be judged.
func (g *judge) settled(op *model.Operation, answered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	client := g.pending[op]
	delete(g.pending, op)
	delete(g.givenUp, op)
	if answered && !g.lost {
		g.ops = append(g.ops, settled{client, *op, time.Now()})
		g.arrived++
		if op.Result != nil {
			g.arrived += weigh(op.Result.Items)
		}
		g.bound()
	}
}

// bound gives the window up if more comes than can be judged.
func (g *judge) bound() {
	if g.arrived > g.limit {
		g.lost = true
		g.forget()
	}
}

func (g *judge) forget() {
	g.ops, g.older, g.arrived = nil, nil, 0
	for name, w := range g.watches {
		w.responses = nil
		if w.over {
			delete(g.watches, name)
		}
	}
}

func (g *judge) watch(name string, r model.WatchRequest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watches[name] = &followed{request: r, start: r.StartRevision}
}

func (g *judge) response(name string, r *model.WatchResponse) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.watches[name]
	if w == nil {
		return
	}
	w.over = w.over || r.Canceled
	if r.Created {
		w.start = cmp.Or(w.start, r.Revision+1)
		return
	}
	first, had := w.last == 0, false
	for i := range r.Events {
		e := &r.Events[i]
		if e.Revision <= g.begin.Revision {
			if e.Revision < w.last {
				g.strays = append(g.strays, fmt.Sprintf("of %s's watch: the %s of %q at revision %d comes behind revision %d", name, e.Type, e.Item.Key, e.Revision, w.last))
			}
			g.report.skipped++
		}
		w.last, had = max(w.last, e.Revision), had || e.PrevItem != nil
	}
	if first && len(r.Events) > 0 {
		if !had {
			w.doubtful = w.last
		}
		if w.request.StartRevision == 0 {
			// As check has it: the created response may be newer than the watch.
			w.start = min(w.start, r.Events[0].Revision)
		}
	}
	g.report.events += len(r.Events)
	if !g.lost {
		w.responses, w.fresh = append(w.responses, *r), true
		g.arrived += 1 + len(r.Events)
		g.bound()
	}
}

// ended says that no more comes of watches.
func (g *judge) ended(names []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range names {
		if w := g.watches[name]; w != nil {
			w.over = true
		}
	}
}

// run judges until the context is done, and what is left then.
func (g *judge) run(ctx context.Context) {
	for began := time.Now(); ; {
		wait(ctx, 10*time.Millisecond)
		g.mu.Lock()
		lost, due := g.lost, g.arrived >= g.most || g.arrived > 0 && time.Since(began) >= g.every
		g.mu.Unlock()
		over := ctx.Err() != nil
		switch {
		case lost && !over:
			g.again(ctx, "more came than can be judged at the same time: --sample or --prefix bound it")
		case over, due:
			g.window(ctx)
			began = time.Now()
		}
		if over {
			return
		}
	}
}

// again begins anew with what the server has.
func (g *judge) again(ctx context.Context, why string) {
	from := g.newest.Revision
	for ctx.Err() == nil {
		g.mu.Lock()
		g.forget()
		g.lost = false
		g.mu.Unlock()
		store, err := g.list(ctx, 0)
		if err != nil {
			wait(ctx, time.Second)
			continue
		}
		g.mu.Lock()
		listed := g.clock.Add(1)
		g.ops = slices.DeleteFunc(g.ops, func(op settled) bool {
			return op.Call < listed && (op.Outcome != model.Done || op.Result.Revision <= store.Revision)
		})
		g.begin, g.newest, g.begun, g.cutAt = *store, *store, listed, listed
		g.open = nil
		g.mu.Unlock()
		g.say("not judged: revisions %d to %d: %s", from+1, store.Revision, why)
		return
	}
}

// mayTake is how long a write without an answer may be carried out afterwards: etcd gives up after some seconds.
const mayTake = time.Minute

// patienceOfWrites is how long a window waits for writes that were called in it.
const patienceOfWrites = 10 * time.Second

// cut waits until each write that was called before a tick is settled, and returns the tick.
func (g *judge) cut(ctx context.Context) int64 {
	g.mu.Lock()
	at := g.clock.Add(1)
	g.mu.Unlock()
	for began := time.Now(); ; {
		late := ctx.Err() != nil || time.Since(began) > patienceOfWrites
		g.mu.Lock()
		waits := false
		for op := range g.pending {
			if op.Call < at && isChange(op.Request) && !g.givenUp[op] {
				if waits = !late; late {
					g.givenUp[op] = true
				}
			}
		}
		g.mu.Unlock()
		if !waits {
			return at
		}
		wait(ctx, time.Millisecond)
	}
}

func isChange(r *model.Request) bool { return r.IsWrite() || r.Kind == model.Compact }

// changed reports whether an operation made a revision, or took history.
func (s *settled) changed() bool {
	return s.Outcome == model.Done && (s.Request.Kind == model.Compact || s.Request.IsWrite() && s.Request.Changed(s.Result))
}

// unknown is an operation as it is to those who do not know its answer.
func unknown(client string, op *model.Operation) settled {
	return settled{client: client, Operation: model.Operation{Call: op.Call, Return: math.MaxInt64, Request: op.Request, Outcome: model.Unknown}}
}

// window judges one.
func (g *judge) window(ctx context.Context) {
	at := g.cut(ctx)
	h, of, newest := g.collect(at)
	log, ends := recorded.Truth(h)
	next, failed := g.newest, error(nil)
	switch {
	case newest == g.newest.Revision:
	case ends == "" && log.Revision() == newest:
		next = model.Initial{Revision: newest}
		log.At(newest).Ascend("\x00", "\x00", func(it *model.Item) bool { next.Items = append(next.Items, it); return true })
	case ctx.Err() == nil:
		// It is not known what made each revision: the server is asked, and its answer judged.
		var store *model.Initial
		called := g.clock.Add(1)
		if store, failed = g.list(ctx, newest); failed == nil {
			next = model.Initial{Revision: newest, Items: store.Items}
			h.Clients = append(h.Clients, "realetcd")
			h.Operations = append(h.Operations, model.Operation{
				Client: len(h.Clients) - 1, Call: called, Return: g.clock.Add(1), Outcome: model.Done,
				Request: &model.Request{Kind: model.List, Key: cmp.Or(g.prefix, "\x00"), End: string(end(g.prefix)), Freshness: model.Exact, Revision: newest},
				Result:  &model.Result{Revision: newest, Items: store.Items, Count: int64(len(store.Items)), Counted: true},
			})
		}
	}
	g.tell(h)
	g.mu.Lock()
	if newest > g.newest.Revision {
		next.Compacted = g.newest.Compacted
		for i := range of {
			if op := &of[i]; op.changed() && op.Request.Kind == model.Compact {
				next.Compacted = max(next.Compacted, op.Request.Revision)
			}
		}
		g.begun, g.cutAt = g.cutAt, at
		g.begin, g.newest, g.older = g.newest, next, slices.DeleteFunc(of, func(op settled) bool { return !op.changed() })
	} else {
		g.older = append(g.older, slices.DeleteFunc(of, func(op settled) bool { return !op.changed() })...)
	}
	g.trim()
	g.mu.Unlock()
	if failed != nil {
		g.again(ctx, fmt.Sprintf("the store at revision %d cannot be read: %v", newest, failed))
	}
}

// collect makes the history of a window that ends at a cut, what is new in it, and its last revision.
func (g *judge) collect(at int64) (h *model.History, of []settled, newest int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	newest = g.newest.Revision
	for i := range g.ops {
		if op := &g.ops[i]; op.Outcome == model.Done && op.Return < at {
			newest = max(newest, op.Result.Revision)
		}
	}
	h = &model.History{Initial: g.begin, Partial: !g.whole}
	index := map[string]int{}
	add := func(op settled) {
		i, known := index[op.client]
		if !known {
			i = len(h.Clients)
			index[op.client] = i
			h.Clients = append(h.Clients, op.client)
		}
		op.Client = i
		h.Operations = append(h.Operations, op.Operation)
	}
	var later []settled
	for _, op := range g.ops {
		switch {
		case op.Outcome == model.Unknown:
			g.open = append(g.open, op)
		case op.Call > at, op.Outcome == model.Done && op.Result.Revision > newest, op.Outcome == model.Failed && op.Return > at:
			later = append(later, op)
			if op.Request.Kind == model.Compact {
				// What it has taken may be refused already.
				add(unknown(op.client, &op.Operation))
			}
		case g.before(&op):
			g.report.skipped++
		default:
			of = append(of, op)
		}
	}
	g.ops, g.arrived = later, 0
	g.open = slices.DeleteFunc(g.open, func(op settled) bool { return time.Since(op.at) > mayTake })
	for _, all := range [][]settled{g.older, of, g.open} {
		for _, op := range all {
			add(op)
		}
	}
	for op, client := range g.pending {
		if op.Call < at && isChange(op.Request) {
			add(unknown(client, op))
		}
	}
	slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
	for _, name := range slices.Sorted(maps.Keys(g.watches)) {
		if w := g.watches[name]; w.fresh && w.start > 0 && w.start <= newest {
			w.fresh = slices.ContainsFunc(w.responses, func(r model.WatchResponse) bool { return reached(&r) > newest })
			h.Watchers = append(h.Watchers, model.Watcher{Client: name, Streams: []model.WatchStream{w.between(g.begin.Revision, newest)}})
		}
	}
	if g.whole && g.prefix != "" {
		if h.Partial = mayWriteUnseen(h); !h.Partial {
			addOthers(h)
		}
	}
	g.report.windows++
	g.report.operations += len(of)
	return h, of, newest
}

// mayWriteUnseen reports whether a revision that no answered write made may be about the keys of a history: by a write
// without an answer, or a lease that expires.
func mayWriteUnseen(h *model.History) bool {
	return slices.ContainsFunc(h.Initial.Items, func(it *model.Item) bool { return it.Lease != 0 }) ||
		slices.ContainsFunc(h.Operations, func(op model.Operation) bool {
			return op.Outcome == model.Unknown || items.Any(op.Request, func(r *model.Request) bool { return r.Lease != 0 })
		})
}

// before reports whether an answer is about a state before the windows that are kept, or may be.
func (g *judge) before(op *settled) bool {
	r := op.Request
	switch {
	case r.Freshness == model.Exact:
		return r.Revision < g.begin.Revision
	case op.Outcome == model.Failed:
		return false
	}
	// A serializable read may be old. Another one may not, unless it was called then.
	return op.Result.Revision < g.begin.Revision && (r.Freshness == model.Any || op.changed() || op.Call < g.begun)
}

// between is what was sent of a watch about revisions.
func (w *followed) between(begin, newest int64) model.WatchStream {
	s := model.WatchStream{Request: w.request}
	s.Request.StartRevision = max(w.start, begin+1)
	s.Request.PrevKV = s.Request.PrevKV && w.doubtful <= begin
	s.Responses = []model.WatchResponse{{Created: true, Revision: s.Request.StartRevision - 1}}
	within := func(revision int64) bool { return revision > begin && revision <= newest }
	for _, r := range w.responses {
		all := r.Events
		r.Events = slices.DeleteFunc(slices.Clone(all), func(e model.WatchEvent) bool { return !within(e.Revision) })
		if n := len(r.Events); n > 0 {
			if !s.Request.PrevKV {
				for i := range r.Events {
					r.Events[i].PrevItem = nil
				}
			}
			r.Revision = r.Events[n-1].Revision
			r.Fragment = r.Fragment && r.Revision == all[len(all)-1].Revision
		}
		if len(r.Events) > 0 || r.Progress && within(r.Revision) {
			s.Responses = append(s.Responses, r)
		}
	}
	return s
}

// reached is the revision up to which a response goes.
func reached(r *model.WatchResponse) int64 {
	if n := len(r.Events); n > 0 {
		return r.Events[n-1].Revision
	}
	return r.Revision
}

// trim forgets what was sent about revisions before the windows that are kept.
func (g *judge) trim() {
	for name, w := range g.watches {
		w.responses = slices.DeleteFunc(w.responses, func(r model.WatchResponse) bool { return reached(&r) <= g.begin.Revision })
		if w.over && (len(w.responses) == 0 || !w.fresh) {
			delete(g.watches, name)
		}
	}
}

// tell judges a history, and prints what is violated.
func (g *judge) tell(h *model.History) {
	g.mu.Lock()
	strays := g.strays
	g.strays = nil
	g.mu.Unlock()
	for _, text := range strays {
		g.violated(string(model.Ordered), text, nil)
	}
	judged, err := check.History(h, check.Options{})
	if err != nil {
		g.say("no verdict on revisions %d to %d: %v", h.Initial.Revision+1, g.newest.Revision, err)
		return
	}
	for i := range judged.Judgements {
		j := &judged.Judgements[i]
		of := g.report.properties[j.Property]
		if of == nil {
			of = &[4]int{}
			g.report.properties[j.Property] = of
		}
		of[j.Verdict]++
		switch j.Verdict {
		case model.Violated:
			text := ""
			if j.Operations != nil {
				text = j.Operations.Sentence
			} else {
				text = j.Watch.Sentence
			}
			g.violated(j.Property, text, h)
		case model.VerdictUnknown:
			if g.report.why[j.Property] == "" {
				g.report.why[j.Property] = j.Reason
			}
		}
	}
}

// violated tells of a violation once: two windows have each write.
func (g *judge) violated(property, text string, h *model.History) {
	if g.told[text] {
		return
	}
	if len(g.told) > 1000 {
		clear(g.told)
	}
	g.told[text] = true
	g.report.violations++
	g.say("violated: %s: %s", property, text)
	if h == nil || g.keep == nil {
		return
	}
	if name, err := g.keep(h); err != nil {
		g.say("its operations are not kept: %v", err)
	} else {
		g.say("  simrun check %s", name)
	}
}

// sum prints what became of all windows.
func (g *judge) sum() {
	r := &g.report
	g.say("judged %s, %s of watches, in %s", counted(r.operations, "operation"), counted(r.events, "event"), counted(r.windows, "window"))
	for _, name := range slices.Sorted(maps.Keys(r.properties)) {
		n := r.properties[name]
		g.say("  %-18s holds in %d, violated in %d, unknown in %d", name, n[model.Holds], n[model.Violated], n[model.VerdictUnknown])
		if why := r.why[name]; why != "" {
			g.say("    %s", why)
		}
	}
	if r.skipped > 0 {
		g.say("not held against writes: %s about revisions before the last two windows", counted(r.skipped, "answer"))
	}
}
