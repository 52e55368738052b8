package largehistory

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/watchbed/watchbed/model"
)

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

// cluster is an etcd with its clients.
type cluster struct {
	rng     *rand.Rand
	history *model.History
	store   *model.Store
	// lagging is the store as the member that lags has it.
	lagging *model.Store
	clients []client
	// late are writes whose clients gave up, and that take effect some day.
	late []*model.Request
	tick int64
	logs []*watchLog
}

// client is what a client is doing: a request is called, then carried out, then answered.
type client struct {
	// operation is the index of the one that is under way, -1 if none is.
	operation int
	result    *model.Result
}

// Make makes a history of so many operations.
func Make(operations int) *model.History {
	c := &cluster{
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
		c.clients = append(c.clients, client{operation: -1})
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
func (c *cluster) step(i int, more bool) {
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
		*at = client{operation: -1}
	}
	if len(c.late) > 0 && c.rng.IntN(100) == 0 {
		c.carryOut(c.late[0])
		c.late = c.late[1:]
	}
}

func (c *cluster) call(i int) {
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
func (c *cluster) carryOut(r *model.Request) *model.Result {
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
