package shell_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/wire"
)

// load is what clients do to one etcd and to the cache in front of it.
type load struct {
	seed uint64
	// writers write to etcd, past the cache, and list through it in between.
	writers int
	// consistent list through the cache without a resourceVersion, stale with
	// "0".
	consistent, stale int
	// perClient is how many operations each client has.
	perClient int
	// concurrent caps the operations under way at once, 0 does not: the cost of
	// judging with porcupine grows exponentially with it.
	concurrent int
	think      time.Duration
	// midway is what happens to etcd, or to the way there, in the middle.
	midway func(*run)
}

// keys are few, so that most operations meet others on the same key.
var keys = []string{prefix + "a", prefix + "b", prefix + "c", prefix + "d"}

// run is a load on its way to a history.
type run struct {
	load
	t     *testing.T
	etcd  *clientv3.Client
	cache *shell.Cache
	rec   recorded.Recorder
	slots chan struct{}
	ops   atomic.Int64

	tally
}

// tally counts the lists that the cache refused, and those that etcd answered
// in its place.
type tally struct{ refused, elsewhere atomic.Int64 }

// record runs a load and returns the history of it.
func (l load) record(t *testing.T, etcd *clientv3.Client, c *shell.Cache) (*model.History, *tally) {
	t.Helper()
	r := &run{load: l, t: t, etcd: etcd, cache: c}
	if l.concurrent > 0 {
		r.slots = make(chan struct{}, l.concurrent)
	}
	initial := r.initial()
	r.catchUp(initial.Revision)
	var clients sync.WaitGroup
	n := 0
	begin := func(kind string, many int, step func(*rand.Rand, string) string) {
		for i := range many {
			n++
			rng := rand.New(rand.NewPCG(l.seed, uint64(n)))
			clients.Go(func() { r.client(rng, fmt.Sprintf("%s-%d", kind, i+1), step) })
		}
	}
	writer := 0
	begin("reader", l.consistent, r.listConsistently)
	begin("stale", l.stale, r.listStale)
	for range l.writers {
		w := &writing{run: r, own: keys[writer%len(keys)]}
		writer++
		begin(fmt.Sprintf("writer-%d", writer), 1, w.step)
	}
	if l.midway != nil {
		for half := int64(n * l.perClient / 2); r.ops.Load() < half; {
			time.Sleep(time.Millisecond)
		}
		l.midway(r)
	}
	clients.Wait()
	h := r.rec.History(initial)
	r.resolve(h)
	return h, &r.tally
}

func (r *run) client(rng *rand.Rand, name string, step func(*rand.Rand, string) string) {
	for range r.perClient {
		if r.think > 0 {
			time.Sleep(time.Duration(rng.Int64N(int64(r.think))))
		}
		if r.slots != nil {
			r.slots <- struct{}{}
		}
		name = step(rng, name)
		r.ops.Add(1)
		if r.slots != nil {
			<-r.slots
		}
	}
}

// operators is how many write at the same time to lose an answer: what gRPC has not sent yet
// when etcd is killed, it sends again.
const operators = 4

// untilAnAnswerIsLost has something happen to etcd, again until a write under way was not answered:
// on a busy machine it may find none that was sent.
func (r *run) untilAnAnswerIsLost(happens func() error) error {
	for attempt := range 20 {
		if lost, err := r.whileWriting(attempt, happens); lost || err != nil {
			return err
		}
	}
	return errors.New("etcd answered every write, whatever happened to it")
}

// whileWriting has operators write all the time while something happens to etcd, and reports
// whether a write was not answered. Other writers may all be waiting for a list then. No two attempts
// write the same value: it tells which revision an unanswered write has made.
func (r *run) whileWriting(attempt int, happens func() error) (bool, error) {
	stop := make(chan struct{})
	var first, all sync.WaitGroup
	var lost atomic.Bool
	for i := range operators {
		name := fmt.Sprint("operator-", i+1)
		put := func(n int) bool {
			return r.write(name, &model.Request{Kind: model.Put, Key: keys[0], Value: fmt.Sprint(name, " ", attempt, " ", n)})
		}
		first.Add(1)
		all.Go(func() {
			answered := put(0)
			first.Done()
			for n := 1; answered; n++ {
				select {
				case <-stop:
					return
				default:
					answered = put(n)
				}
			}
			lost.Store(true)
		})
	}
	first.Wait()
	err := happens()
	close(stop)
	all.Wait()
	return lost.Load(), err
}

func (r *run) initial() model.Initial {
	r.t.Helper()
	res, err := r.etcd.Get(r.t.Context(), prefix, clientv3.WithPrefix())
	if err != nil {
		r.t.Fatal(err)
	}
	initial := model.Initial{Revision: res.Header.Revision}
	for _, kv := range res.Kvs {
		initial.Items = append(initial.Items, &model.Item{
			Key: string(kv.Key), Value: string(kv.Value),
			CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version,
		})
	}
	return initial
}

// catchUp returns when the cache has come to a revision. A list with "0" may show an older
// state, of which the history knows nothing.
func (r *run) catchUp(revision int64) {
	r.t.Helper()
	for {
		_, err := r.cache.List(r.t.Context(), wire.ListRequest{Prefix: prefix, ResourceVersion: revision})
		var refused *shell.StatusError
		if err == nil {
			return
		}
		if !errors.As(err, &refused) {
			r.t.Fatal(err)
		}
	}
}

func (r *run) listConsistently(_ *rand.Rand, name string) string {
	r.list(name, consistent, model.Consistent)
	return name
}

func (r *run) listStale(_ *rand.Rand, name string) string {
	r.list(name, wire.ListRequest{Prefix: prefix}, model.Any)
	return name
}

// list reads through the cache. A read that is refused shows nothing and is left
// out.
func (r *run) list(name string, req wire.ListRequest, freshness model.Freshness) {
	call := r.rec.Tick()
	got, err := r.cache.List(r.t.Context(), req)
	if err != nil {
		var refused *shell.StatusError
		if !errors.As(err, &refused) {
			r.t.Error(err)
		}
		r.refused.Add(1)
		return
	}
	if got.Origin != wire.FromCache {
		r.elsewhere.Add(1)
	}
	res := &model.Result{Revision: got.ResourceVersion, Count: int64(len(got.Items))}
	for _, kv := range got.Items {
		res.Items = append(res.Items, &model.Item{
			Key: kv.Key, Value: kv.Value,
			CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version,
		})
	}
	r.done(name, call, &model.Request{Kind: model.List, Key: prefix, End: model.PrefixEnd(prefix), Freshness: freshness}, res)
}

func (r *run) done(name string, call int64, req *model.Request, res *model.Result) {
	r.rec.Add(name, model.Operation{Call: call, Return: r.rec.Tick(), Request: req, Result: res, Outcome: model.Done})
}

// writing is one writer's state.
type writing struct {
	*run
	n int
	// own is the only key that it deletes, so that a deletion whose outcome is
	// unknown is this client's. It has one such deletion at most.
	own     string
	unknown bool
}

func (w *writing) step(rng *rand.Rand, name string) string {
	w.n++
	req := &model.Request{Kind: model.Put, Key: keys[rng.IntN(len(keys))], Value: fmt.Sprintf("%s.%d", name, w.n)}
	switch p := rng.IntN(10); {
	case p < 2:
		return w.listConsistently(rng, name)
	case p < 4 && !w.unknown:
		req = &model.Request{Kind: model.Delete, Key: w.own}
	}
	if w.write(name, req) {
		return name
	}
	// As the same client it would have one operation open while it starts the
	// next.
	w.unknown = w.unknown || req.Kind == model.Delete
	return name + "'"
}

// write puts or deletes past the cache. It returns false if the
// outcome is unknown.
func (r *run) write(name string, req *model.Request) bool {
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	res := &model.Result{}
	call := r.rec.Tick()
	var err error
	if req.Kind == model.Delete {
		var got *clientv3.DeleteResponse
		if got, err = r.etcd.Delete(ctx, req.Key); err == nil {
			res.Revision, res.Deleted = got.Header.Revision, got.Deleted
		}
	} else {
		var got *clientv3.PutResponse
		if got, err = r.etcd.Put(ctx, req.Key, req.Value); err == nil {
			res.Revision = got.Header.Revision
		}
	}
	if err != nil {
		r.rec.Add(name, model.Operation{Call: call, Return: math.MaxInt64, Request: req, Outcome: model.Unknown})
		return false
	}
	r.done(name, call, req, res)
	return true
}

// resolve takes the outcomes of unanswered writes from etcd's own history. Of several unanswered
// deletes of a key those that were called first made the revisions: a delete that was not
// answered bounds nothing behind it, so that any order which fits another choice fits this one.
func (r *run) resolve(h *model.History) {
	r.t.Helper()
	if !slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return op.Outcome == model.Unknown }) {
		return
	}
	now, err := r.etcd.Get(r.t.Context(), prefix)
	if err != nil {
		r.t.Fatal(err)
	}
	written, deleted := map[string]int64{}, map[string][]int64{}
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	last := h.Initial.Revision
	for last < now.Header.Revision {
		for res := range r.etcd.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(last+1)) {
			if err := res.Err(); err != nil {
				r.t.Fatal(err)
			}
			for _, e := range res.Events {
				last = e.Kv.ModRevision
				if e.Type == clientv3.EventTypePut {
					written[string(e.Kv.Value)] = last
				} else {
					deleted[string(e.Kv.Key)] = append(deleted[string(e.Kv.Key)], last)
				}
			}
			if last >= now.Header.Revision {
				break
			}
		}
	}
	// A delete that finds nothing is answered with a revision that another write made.
	told := map[int64]bool{}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Done && op.Request.Changed(op.Result) {
			told[op.Result.Revision] = true
		}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Outcome != model.Unknown {
			continue
		}
		op.Commit = -1
		if rev, ok := written[op.Request.Value]; ok && op.Request.Kind == model.Put {
			op.Commit = rev
		}
		if op.Request.Kind == model.Delete {
			revs := slices.DeleteFunc(deleted[op.Request.Key], func(rev int64) bool { return told[rev] })
			if len(revs) > 0 {
				op.Commit, revs = revs[0], revs[1:]
			}
			deleted[op.Request.Key] = revs
		}
	}
}
