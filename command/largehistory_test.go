package command

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// A large history holds, and is what clients of one etcd that has no bug would have recorded: clients that overlap in
// time, puts, deletes, transactions as Kubernetes writes objects with, lists of a namespace, watches that are resumed,
// answers of a member that lags, and writes of unknown outcome. It is a function of its size, made with package model.

const (
	// writers is how many clients read and write, readers how many read from the member that
	// lags.
	writers, readers = 22, 2
	// namespaces of pods, so many pods each.
	namespaces, pods = 200, 11
	// A write in so many is not answered. Half of these take effect.
	unanswered = 1000
	// lag is how many revisions the member that lags is behind at most.
	lag = 50
)

// largeCluster is an etcd with its clients.
type largeCluster struct {
	rng     *rand.Rand
	history *model.History
	store   *model.Store
	// lagging is the store as the member that lags has it.
	lagging *model.Store
	clients []largeClient
	// late are writes whose clients gave up, and that take effect some day.
	late []*model.Request
	tick int64
	logs []*watchLog
}

// largeClient is what a client is doing: a request is called, then carried out, then answered.
type largeClient struct {
	// operation is the index of the operation under way, -1 if none is.
	operation int
	result    *model.Result
}

// makeLargeHistory makes a history of so many operations.
func makeLargeHistory(operations int) *model.History {
	c := &largeCluster{
		rng:     rand.New(rand.NewPCG(11, 1)),
		history: &model.History{Initial: model.Initial{Revision: 1}, Operations: make([]model.Operation, 0, operations)},
		logs:    newWatchLogs(),
	}
	c.store = model.NewStore(c.history.Initial)
	c.lagging = c.store.Clone()
	for i := range writers + readers {
		name := fmt.Sprintf("client-%d", i)
		if i >= writers {
			name = fmt.Sprintf("reader-%d", i-writers)
		}
		c.history.Clients = append(c.history.Clients, name)
		c.clients = append(c.clients, largeClient{operation: -1})
	}
	for len(c.history.Operations) < operations {
		c.step(c.rng.IntN(len(c.clients)), true)
	}
	for i := range c.clients {
		for c.clients[i].operation >= 0 {
			c.step(i, false)
		}
	}
	for _, l := range c.logs {
		c.history.Watchers = append(c.history.Watchers, l.watcher)
	}
	return c.history
}

// step has a client go on. A client that has nothing under way asks for more if it may.
func (c *largeCluster) step(i int, more bool) {
	at := &c.clients[i]
	switch {
	case at.operation < 0 && more:
		c.call(i)
	case at.operation < 0:
	case at.result == nil && i >= writers:
		res := c.lagging.Read(c.history.Operations[at.operation].Request)
		at.result = &res
	case at.result == nil:
		at.result = c.carryOut(c.history.Operations[at.operation].Request)
	default:
		c.tick++
		op := &c.history.Operations[at.operation]
		op.Return, op.Result = c.tick, at.result
		*at = largeClient{operation: -1}
	}
	if len(c.late) > 0 && c.rng.IntN(100) == 0 {
		c.carryOut(c.late[0])
		c.late = c.late[1:]
	}
}

func (c *largeCluster) call(i int) {
	c.tick++
	op := model.Operation{Client: i, Call: c.tick, Return: math.MaxInt64, Request: c.draw(i)}
	if op.Request.IsWrite() && c.rng.IntN(unanswered) == 0 {
		op.Outcome = model.Unknown
		if c.rng.IntN(2) == 0 {
			c.late = append(c.late, op.Request)
		}
	} else {
		c.clients[i].operation = len(c.history.Operations)
	}
	if op.Request.Freshness == model.Any {
		op.Server = "member-2"
	}
	c.history.Operations = append(c.history.Operations, op)
}

// carryOut is what etcd does with a request: the watches are sent what it changed.
func (c *largeCluster) carryOut(r *model.Request) *model.Result {
	if !r.IsWrite() {
		res := c.store.Apply(r)
		if r.Kind == model.Get {
			res.Revision = 0
		}
		return &res
	}
	before := c.store.Revision()
	was := c.store.Get(keyOf(r))
	res := c.store.Apply(r)
	if now := c.store.Revision(); now > before {
		for _, l := range c.logs {
			l.changed(now, keyOf(r), was, c.store.Get(keyOf(r)))
		}
		if now-c.lagging.Revision() > lag {
			c.lagging = c.store.Clone()
		}
	}
	return &res
}

// keyOf is the key that a write may change: there is one only.
func keyOf(r *model.Request) string {
	if r.Kind == model.Txn {
		return r.Compare[0].Key
	}
	return r.Key
}

func namespace(n int) string { return fmt.Sprintf("/registry/pods/namespace-%03d/", n) }

func pod(n, p int) string { return fmt.Sprintf("%spod-%02d", namespace(n), p) }

// draw is the next request of a client.
func (c *largeCluster) draw(i int) *model.Request {
	n := c.rng.IntN(namespaces)
	list := &model.Request{Kind: model.List, Key: namespace(n), End: model.PrefixEnd(namespace(n))}
	if i >= writers {
		list.Freshness = model.Any
		return list
	}
	key := pod(n, c.rng.IntN(pods))
	// Each value is written once.
	value := fmt.Sprintf("%x-%d", c.rng.Uint32(), len(c.history.Operations))
	switch kind := c.rng.IntN(100); {
	case kind < 32:
		return &model.Request{Kind: model.Put, Key: key, Value: value}
	case kind < 40:
		return &model.Request{Kind: model.Delete, Key: key, PrevKV: kind < 36}
	case kind < 44:
		// One object that all clients write, as those of a leader election do.
		return c.update(pod(0, 0), value)
	case kind < 54:
		return c.update(key, value)
	case kind < 64:
		return &model.Request{Kind: model.Get, Key: key}
	case kind < 68:
		list.Limit = 5
	}
	return list
}

// update is how Kubernetes creates and updates objects: if no other client has written it since.
func (c *largeCluster) update(key, value string) *model.Request {
	seen := int64(0)
	if it := c.store.Get(key); it != nil {
		seen = it.ModRevision
	}
	return &model.Request{
		Kind:    model.Txn,
		Compare: []model.Compare{{Key: key, Target: model.CompareMod, Operand: seen}},
		Success: []model.Request{{Kind: model.Put, Key: key, Value: value}},
		Failure: []model.Request{{Kind: model.Get, Key: key}},
	}
}

// resumed and marked are how many revisions a stream lasts, and how far its bookmarks are apart.
const resumed, marked = 5_000, 1_000

// watchLog is what one client is sent, on one stream after another.
type watchLog struct {
	watcher model.Watcher
	request model.WatchRequest
}

// newWatchLogs are the logs of a client that watches everything, and of a client that watches half
// of the namespaces with prevKV.
func newWatchLogs() []*watchLog {
	const all = "/registry/pods/"
	return []*watchLog{
		{watcher: model.Watcher{Client: "watcher-0"}, request: model.WatchRequest{Key: all, End: model.PrefixEnd(all), ProgressNotify: true}},
		{watcher: model.Watcher{Client: "watcher-1"}, request: model.WatchRequest{Key: all, End: namespace(namespaces / 2), PrevKV: true, ProgressNotify: true}},
	}
}

// changed sends the change of a key, if it is asked for.
func (l *watchLog) changed(rev int64, key string, was, is *model.Item) {
	streams := &l.watcher.Streams
	if len(*streams) == 0 || rev%resumed == 0 {
		s := model.WatchStream{Request: l.request, Responses: []model.WatchResponse{{Created: true, Revision: rev - 1}}}
		s.Request.StartRevision = rev
		*streams = append(*streams, s)
	}
	s := &(*streams)[len(*streams)-1]
	if model.InRange(key, l.request.Key, l.request.End) {
		e := model.WatchEvent{Item: is, Revision: rev}
		if is == nil {
			e.Type, e.Item = model.DeleteEvent, &model.Item{Key: key, ModRevision: rev}
		}
		if l.request.PrevKV {
			e.PrevItem = was
		}
		s.Responses = append(s.Responses, model.WatchResponse{Revision: rev, Events: []model.WatchEvent{e}})
	}
	if rev%marked == 0 {
		s.Responses = append(s.Responses, model.WatchResponse{Revision: rev, Progress: true})
	}
}

// spoil gives the last consistent list that has an older one of the same range before it the
// answer of that: it is a stale read, which no order of the operations explains.
func spoil(h *model.History) error {
	last := -1
	for i := len(h.Operations) - 1; i >= 0; i-- {
		op := &h.Operations[i]
		if op.Request.Kind != model.List || op.Request.Freshness != model.Consistent || op.Request.Limit != 0 || op.Outcome != model.Done {
			continue
		}
		if last < 0 {
			last = i
			continue
		}
		// Each client can have made one write that the answers before did not show.
		after := &h.Operations[last]
		if op.Request.Key == after.Request.Key && op.Result.Revision < after.Result.Revision-2*(writers+readers) {
			after.Result = op.Result
			return nil
		}
	}
	return fmt.Errorf("no list among %d operations has an older one of the same range", len(h.Operations))
}

// writeLargeList writes a Kubernetes audit log of one LIST of so many objects and one more, which was
// created before. A stale LIST is of a revision before that, and lacks the object.
func writeLargeList(to io.Writer, objects int, stale bool) error {
	w := bufio.NewWriter(to)
	created, listed := objects+10, objects+20
	last, revision := "created", created
	if stale {
		last, revision, listed = "older", objects+4, objects+5
	}
	fmt.Fprintf(w, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"create","stage":"ResponseComplete",`+
		`"requestURI":"/api/v1/namespaces/default/pods","verb":"create","user":{"username":"admin"},`+
		`"objectRef":{"resource":"pods","namespace":"default","apiVersion":"v1"},"responseStatus":{"code":201},`+
		`"responseObject":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"created","namespace":"default","resourceVersion":"%d"}},`+
		`"requestReceivedTimestamp":"2025-01-01T00:00:01.000000Z","stageTimestamp":"2025-01-01T00:00:02.000000Z"}`+"\n", created)
	fmt.Fprintf(w, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"list","stage":"ResponseComplete",`+
		`"requestURI":"/api/v1/pods","verb":"list","user":{"username":"admin"},"objectRef":{"resource":"pods","apiVersion":"v1"},`+
		`"responseStatus":{"code":200},"responseObject":{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[`, listed)
	for i := range objects {
		fmt.Fprintf(w, `{"metadata":{"name":"pod-%07d","namespace":"default","resourceVersion":"%d"}},`, i, i+2)
	}
	fmt.Fprintf(w, `{"metadata":{"name":"%s","namespace":"default","resourceVersion":"%d"}}`, last, revision)
	fmt.Fprintln(w, `]},"requestReceivedTimestamp":"2025-01-01T00:00:03.000000Z","stageTimestamp":"2025-01-01T00:00:04.000000Z"}`)
	return w.Flush()
}

// TestALargeHistoryHasEverything: what is said of it above is there, often.
func TestALargeHistoryHasEverything(t *testing.T) {
	h := makeLargeHistory(20_000)
	require.Len(t, h.Operations, 20_000)
	seen := map[string]int{}
	returned := make([]int64, 0, len(h.Operations))
	for i := range h.Operations {
		op := &h.Operations[i]
		r := op.Request
		seen[r.Kind.String()]++
		if op.Outcome == model.Unknown {
			seen["unknown"]++
			continue
		}
		if r.Kind == model.Txn {
			seen[map[bool]string{true: "txn that succeeds", false: "txn that fails"}[op.Result.Succeeded]]++
		}
		if r.Kind == model.Delete && op.Result.Deleted == 0 {
			seen["delete of nothing"]++
		}
		if r.Freshness == model.Any {
			seen["weaker list"]++
		}
		if op.Result.More {
			seen["page"]++
		}
		if len(returned) > 0 && op.Call < returned[len(returned)-1] {
			seen["overlapping"]++
		}
		returned = append(returned, op.Return)
	}
	for _, w := range h.Watchers {
		for _, s := range w.Streams {
			seen["stream"]++
			for _, r := range s.Responses {
				if r.Progress {
					seen["bookmark"]++
				}
				for _, e := range r.Events {
					seen["event "+e.Type.String()]++
				}
			}
		}
	}
	for what, least := range map[string]int{
		"put": 1000, "delete": 1000, "txn": 1000, "get": 1000, "list": 1000, "unknown": 5, "txn that succeeds": 1000, "txn that fails": 100,
		"delete of nothing": 100, "weaker list": 1000, "page": 100, "overlapping": 10_000, "stream": 2, "bookmark": 10,
		"event put": 5000, "event delete": 500,
	} {
		require.GreaterOrEqual(t, seen[what], least, "%s: %v", what, seen)
	}
}

// TestSameSizeSameHistory: figures are of one history.
func TestSameSizeSameHistory(t *testing.T) {
	require.Equal(t, makeLargeHistory(500), makeLargeHistory(500))
}
