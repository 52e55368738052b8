package etcdtest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/workload"
)

// Promise is how fresh a cache says that its answer is.
type Promise struct {
	freshness model.Freshness
	revision  int64
}

// The promises of reads. Consistent: the answer has each write that was acknowledged before the read
// (linearizable-data). Any: the answer was etcd's at some time, also an old one (sequential); a cache that promises no
// more may go back in time.
var (
	Consistent = Promise{freshness: model.Consistent}
	Any        = Promise{freshness: model.Any}
)

// NotOlderThan is the promise of an answer of that revision or a later one. Exact is that of the store at the revision.
// The answer's header must have its revision.
func NotOlderThan(revision int64) Promise { return Promise{model.NotOlderThan, revision} }

// Exact is described at NotOlderThan.
func Exact(revision int64) Promise { return Promise{model.Exact, revision} }

// List reads all keys below a prefix from a cache, and has the answer judged. A cache that does not know the revision
// of its answer leaves out the header, one that does not count leaves out the count. An error makes no claim.
func (t *T) List(p Promise, prefix string, from func(context.Context) (*clientv3.GetResponse, error)) (*clientv3.GetResponse, error) {
	return t.read(&model.Request{Kind: model.List, Key: prefix, End: model.PrefixEnd(prefix), Freshness: p.freshness, Revision: p.revision}, from)
}

// Get reads one key from a cache, as List does.
func (t *T) Get(p Promise, key string, from func(context.Context) (*clientv3.GetResponse, error)) (*clientv3.GetResponse, error) {
	return t.read(&model.Request{Kind: model.List, Key: key, Freshness: p.freshness, Revision: p.revision}, from)
}

func (t *T) read(r *model.Request, from func(context.Context) (*clientv3.GetResponse, error)) (*clientv3.GetResponse, error) {
	one := model.Operation{Call: t.run.clock.tick(), Request: r}
	answer, err := from(t.ctx)
	one.Return = t.run.clock.tick()
	if err != nil || answer == nil {
		t.mu.Lock()
		t.unanswered.add(unanswered{1, err})
		t.mu.Unlock()
		return answer, err
	}
	one.Result = &model.Result{Count: cmp.Or(answer.Count, int64(len(answer.Kvs)))}
	if answer.Header != nil {
		one.Result.Revision = answer.Header.Revision
	}
	for _, kv := range answer.Kvs {
		one.Result.Items = append(one.Result.Items, item(kv))
	}
	slices.SortFunc(one.Result.Items, func(a, b *model.Item) int { return cmp.Compare(a.Key, b.Key) })
	t.mu.Lock()
	t.reads = append(t.reads, one)
	t.mu.Unlock()
	return answer, nil
}

func item(kv *mvccpb.KeyValue) *model.Item {
	return &model.Item{
		Key: string(kv.Key), Value: string(kv.Value), CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease,
	}
}

// finding is what is wrong with a schedule.
type finding struct {
	// by is what broke the promise: the cache, etcd or the test.
	by, promise, sentence string
	// key and client are the key and the client of the wrong answer, empty if it has none. from and to are the ticks of
	// the wrong answer, and read is its read.
	key, client string
	from, to    int64
	read        *model.Operation
	// watch is the watch that it is about, of a cache or as clientv3 delivered it.
	watch *delivery
}

// The parties of a finding.
const (
	byCache  = "the cache"
	byEtcd   = "etcd"
	byClient = "clientv3"
	byTest   = "the test"
)

func (f *finding) String() string {
	if f.by == byTest {
		return "the test fails"
	}
	return f.by + " is not " + f.promise
}

// judge looks at a schedule that is over: at what caches answered first, since etcd itself may be known to be wrong.
func (t *T) judge(node *etcd.Server) *finding {
	log := model.NewLog(model.Initial{Revision: 1})
	var changes []etcd.Commit
	for _, c := range node.Committed() {
		before := log.Revision()
		log.Append(workload.Request(c.Request))
		if c.Revision > before {
			changes = append(changes, c)
		}
	}
	h := t.history(changes)
	if f := t.judgeReads(h, log); f != nil {
		if f.read == nil {
			// A wrong answer of a cache may leave no place for a write; so may etcd.
			return cmp.Or(t.judgeEtcd(h, log), f)
		}
		return f
	}
	if f := t.judgeDeliveries(byCache, h, log); f != nil {
		return f
	}
	if t.failure != "" {
		return &finding{by: byTest, promise: "what it asserts", sentence: t.failure, to: t.failed}
	}
	return t.judgeEtcd(h, log)
}

// history is what clients asked etcd, and what else was written there: by etcd when leases expired.
func (t *T) history(changes []etcd.Commit) *model.History {
	h := &model.History{Initial: model.Initial{Revision: 1}}
	for i, p := range t.run.loop.processes {
		h.Clients = append(h.Clients, p.name)
		for k, op := range p.operations {
			op.Client = i
			// A write that etcd carries out when it has restarted belongs to no connection.
			own := slices.IndexFunc(changes, func(c etcd.Commit) bool { return c.Request == p.requests[k] })
			if op.Outcome == model.Unknown {
				op.Commit = -1
			}
			if own >= 0 {
				op.Commit = changes[own].Revision
				changes = slices.Delete(changes, own, own+1)
			}
			h.Operations = append(h.Operations, op)
		}
	}
	h.Clients = append(h.Clients, byEtcd)
	for _, c := range changes {
		h.Operations = append(h.Operations, model.Operation{
			Client: len(h.Clients) - 1, Return: math.MaxInt64, Request: workload.Request(c.Request), Outcome: model.Unknown, Commit: c.Revision,
		})
	}
	return h
}

// judgeReads judges what caches answered, beside what was written.
func (t *T) judgeReads(writes *model.History, log *model.Log) *finding {
	h := &model.History{Initial: writes.Initial}
	// Each operation is a client's only one: several goroutines of a test write by one client at the same time, and a cache
	// may go back in time where it promises no more.
	add := func(op model.Operation, by string) {
		op.Client = len(h.Clients)
		h.Clients, h.Operations = append(h.Clients, by), append(h.Operations, op)
	}
	for _, op := range writes.Operations {
		if op.Request.IsWrite() {
			add(op, writes.Clients[op.Client])
		}
	}
	for _, r := range t.reads {
		add(r, byCache)
	}
	return t.check(h, log, byCache, linearizability.LinearizableData, linearizability.NotOlderThan, linearizability.Exact, linearizability.Sequential)
}

// judgeEtcd judges what etcd answered, and its watches: as etcd sent them, then as clientv3 delivered them.
func (t *T) judgeEtcd(h *model.History, log *model.Log) *finding {
	if f := t.check(h, log, byEtcd, linearizability.Linearizable, linearizability.Exact); f != nil {
		return f
	}
	for _, p := range t.run.loop.processes {
		for _, w := range p.watches {
			if f := t.judgeWatch(w, byEtcd, p.name, log); f != nil {
				return f
			}
		}
	}
	return t.judgeDeliveries(byClient, h, log)
}

// judgeDeliveries judges what watches of clientv3, or of caches, delivered.
func (t *T) judgeDeliveries(by string, h *model.History, log *model.Log) *finding {
	for _, d := range t.deliveries {
		if d.by != by {
			continue
		}
		if f := t.judgeWatch(d.from(h), by, d.client, log); f != nil {
			f.watch = d
			if by == byCache {
				// What its own clients were sent is part of the story.
				f.client = ""
			}
			return f
		}
	}
	return nil
}

// judgeWatch is the first guarantee that a watch of a client does not keep.
func (t *T) judgeWatch(w *watched, by, client string, log *model.Log) *finding {
	for _, j := range model.CheckWatch([]model.WatchStream{w.WatchStream}, log) {
		if j.Verdict == model.Violated {
			to := t.run.clock.last()
			if j.Why.Response >= 0 {
				to = w.ticks[j.Why.Response] + 1
			}
			return &finding{by: by, promise: string(j.Guarantee), key: j.Why.Key, client: client, to: to, sentence: fmt.Sprintf("the watch of %s by %s: %s", w.Request.Key, client, j.Why.Sentence)}
		}
	}
	return nil
}

// check is the first of the properties that a history violates.
func (t *T) check(h *model.History, log *model.Log, by string, properties ...linearizability.Property) *finding {
	slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var judge linearizability.Judge
	// One after the other: a history in which one is violated may take long to judge by the next.
	for _, property := range properties {
		judged, err := judge.Check(h, log, property)
		if err != nil {
			panic(err)
		}
		for _, j := range judged {
			if j.Verdict == model.Violated {
				return t.found(by, h, j)
			}
		}
	}
	return nil
}

// found is what a judgement on a history finds.
func (t *T) found(by string, h *model.History, j linearizability.Judgement) *finding {
	f := &finding{by: by, promise: string(j.Property), key: j.Why.Key, sentence: j.Why.Say(func(op int) string { return linearizability.Name(h, op, t.run.clock.at) })}
	if j.Why.Operation >= 0 {
		op := h.Operations[j.Why.Operation]
		f.from, f.to = op.Call, op.Return
		if !op.Request.IsWrite() {
			f.read = &op
		}
	}
	return f
}
