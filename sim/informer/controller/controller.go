// Package controller (unstable) is a controller behind a shared informer: its event handler, its
// work queue with one worker, and what keeps it from acting on a state that is older than its own
// writes (KEP-5647, Kubernetes' pkg/controller/util/consistency). It is a part of the node of an
// informer, since a process has both.
//
// The controller marks objects: one in its informer's store without a mark gets one by an update
// through the API server, which adds a member to whatever the object is by then. So an object
// gets a second mark if the controller acts on a state from before its own update. A controller
// that creates pods makes too many of them in this way.
//
// The goroutines are tasks and timers of the node:
//
//	worker          takes a key, asks whether the store has come to the controller's own last
//	                write about it, looks the object up, and sends an update; the answer is
//	                its next step
//	timer "requeue" puts the keys back whose sync failed (AddRateLimited)
//
// Expectations, which most controllers of Kubernetes have beside it, are left out.
//
// The package imports sim, sim/option and sim/wire. It must never import sim/informer
// or sim/informer/shared: the node gives it what handlers are told, and lets it look into the
// store.
package controller

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Store is what the controller knows of its informer's.
type Store interface {
	// Version is LastStoreSyncResourceVersion.
	Version() int64
	// Get is the object of a key, nil if there is none.
	Get(key string) *wire.KeyValue
}

// Config is what a controller is made of.
type Config struct {
	Deviations
	// Task and Timer are the numbers that the node leaves to it.
	Task  sim.Task
	Timer sim.Timer
}

// Controller marks objects.
type Controller struct {
	cfg    Config
	queue  state.Var[queue]  `cell:"controller: work queue"`
	worker state.Var[worker] `cell:"controller: worker"`
	// records are the newest versions that the controller has recorded, by key.
	records state.Var[[]record] `cell:"controller: recorded writes"`
	history history
}

var layout = state.Of[Controller]()

// queue is the keys that are to be synced, and those that wait for the timer.
type queue struct{ keys, failed []string }

type worker struct {
	// running: the informer has synced.
	running bool
	// key is the one whose GET or update is under way, call that; read is what the controller had
	// read of it before an update.
	key  string
	call sim.Conn
	read *wire.KeyValue
	// to is where an update goes behind a GET.
	to sim.NodeID
	// marks counts the updates of the process.
	marks int
	// writes are the newest versions that updates of the process were answered with, by key: for
	// judges.
	writes []record
}

// record is an ownerRecord: one object is owner and resource here.
type record struct {
	key     string
	version int64
}

// markPrefix begins the members that a controller adds.
const markPrefix = "m"

// Marked reports whether a value has a mark, and how many.
func Marked(value string) (marks int) {
	for _, member := range strings.Split(value, wire.MemberSeparator) {
		if strings.HasPrefix(member, markPrefix) {
			marks++
		}
	}
	return marks
}

// New returns a controller of a process that has not started.
func New(cfg Config) *Controller {
	c := &Controller{cfg: cfg}
	c.Forget()
	return c
}

// Forget drops what a process keeps in memory.
func (c *Controller) Forget() {
	layout.Reset(c, 0, Controller{cfg: c.cfg, history: history{acts: c.history.acts}})
}

// Told is the event handler.
func (c *Controller) Told(env *sim.Env, key string) {
	q := c.queue.Change(env)
	if !slices.Contains(q.keys, key) {
		q.keys = append(q.keys, key)
	}
	c.wake(env)
}

// Begin starts the worker: the informer has synced.
func (c *Controller) Begin(env *sim.Env) {
	if !c.worker.Value().running {
		c.worker.Change(env).running = true
		c.wake(env)
	}
}

func (c *Controller) wake(env *sim.Env) {
	if w := c.worker.Value(); w.running && w.key == "" && len(c.queue.Value().keys) > 0 {
		env.Enable(c.cfg.Task)
	}
}

// Idle reports whether the controller has nothing to do.
func (c *Controller) Idle() bool {
	q := c.queue.Value()
	return c.worker.Value().key == "" && len(q.keys)+len(q.failed) == 0
}

// Holds says which keys wait, and which one has its update under way.
func (c *Controller) Holds() string {
	q := c.queue.Value()
	return fmt.Sprintf("its work queue has %q, its timer %q and its worker %q", q.keys, q.failed, c.worker.Value().key)
}

// Clone is a copy that shares nothing that changes.
func (c *Controller) Clone() *Controller { return layout.Clone(c) }

// Cells visits the parts of the state, as sim.Celled.
func (c *Controller) Cells(visit sim.CellVisitor) { layout.Cells(c, visit) }

// Run is a turn of the worker: syncs one key. Updates go to one API server, and GETs to another if there are two.
func (c *Controller) Run(env *sim.Env, store Store, to, other sim.NodeID) {
	q, w := c.queue.Change(env), c.worker.Change(env)
	if w.key != "" || len(q.keys) == 0 {
		return
	}
	key := q.keys[0]
	q.keys = slices.Delete(q.keys, 0, 1)
	switch {
	case c.ready(env, key, store):
		c.sync(env, store.Get(key), to)
	case c.cfg.Consistency == getsObject:
		gets.Say(env, key)
		w.key, w.to, w.call = key, to, env.Call(other, &wire.GetRequest{Key: key, ResourceVersion: wire.Unset})
	default:
		env.Cover(waited)
		c.fail(env, key)
	}
}

// sync acts on an object that the controller has read, nil if there is none.
func (c *Controller) sync(env *sim.Env, kv *wire.KeyValue, to sim.NodeID) {
	if kv != nil && Marked(kv.Value) == 0 {
		c.update(env, kv, to)
		return
	}
	c.wake(env)
}

// update sends an update for an object that the controller has read.
func (c *Controller) update(env *sim.Env, kv *wire.KeyValue, to sim.NodeID) {
	env.Begin("update", c.history.acts)
	w := c.worker.Value()
	w.marks++
	w.key, w.read = kv.Key, kv
	c.history.act(kv, w.writes)
	acts.Say(env, kv.Key, kv.Value, kv.ModRevision)
	w.call = env.Call(to, &wire.GuaranteedUpdateRequest{Key: kv.Key, Add: markPrefix + strconv.Itoa(w.marks)})
}

// Owns reports whether a message is an answer to the controller.
func (c *Controller) Owns(conn sim.Conn) bool {
	call := c.worker.Value().call
	return call != sim.NoConn && conn == call
}

// Receive takes the answer, or the news that there will be none.
func (c *Controller) Receive(env *sim.Env, p sim.Payload) {
	c.queue.Change(env)
	w := c.worker.Change(env)
	key, read := w.key, w.read
	w.key, w.read, w.call = "", nil, sim.NoConn
	switch p := p.(type) {
	case *wire.GetResponse:
		env.Cover(gotten)
		if p.Item != nil {
			got.Say(env, key, p.Item.Value, p.Item.ModRevision)
		}
		c.sync(env, p.Item, w.to)
	case *wire.ObjectResponse:
		env.Cover(written)
		answered.Say(env, p.Item.Key, p.Item.Value, p.Item.ModRevision)
		version := p.Item.ModRevision
		w.writes = wrote(w.writes, key, version)
		if c.cfg.RecordsRead {
			version = read.ModRevision
		}
		records := c.records.Change(env)
		*records = wrote(*records, key, version)
		c.wake(env)
	case *wire.Error:
		if p.Code == wire.KeyNotFound {
			c.wake(env)
			return
		}
		c.fail(env, key)
	default:
		c.fail(env, key)
	}
}

// fail puts a key back after a pause.
func (c *Controller) fail(env *sim.Env, key string) {
	if q := c.queue.Value(); !slices.Contains(q.failed, key) {
		q.failed = append(q.failed, key)
	}
	env.Arm(c.cfg.Timer, requeueAfter)
	c.wake(env)
}

// Fire is the timer.
func (c *Controller) Fire(env *sim.Env) {
	c.worker.Look(env)
	q := c.queue.Change(env)
	for _, key := range q.failed {
		c.Told(env, key)
	}
	q.failed = nil
}

// Stop ends the worker.
func (c *Controller) Stop(env *sim.Env) {
	w := c.worker.Change(env)
	env.Close(w.call)
	w.running, w.call, w.key, w.read = false, sim.NoConn, "", nil
	c.queue.Set(env, queue{})
	env.Disable(c.cfg.Task)
	env.Disarm(c.cfg.Timer)
}

// requeueAfter stands for the back-off of the work queue, which begins with 5 ms.
const requeueAfter = 5 * time.Millisecond

// ready is EnsureReady: the store has come to what was recorded of an object.
func (c *Controller) ready(env *sim.Env, key string, store Store) bool {
	records := c.records.Change(env)
	i := indexOf(*records, key)
	if i < 0 {
		return true
	}
	version := (*records)[i].version
	if c.cfg.Consistency == actsAtOnce || version <= store.Version() {
		*records = slices.Delete(*records, i, i+1)
		return true
	}
	waits.Say(env, key, version, store.Version())
	return false
}

// wrote is WroteAt: of an object the newest version stays.
func wrote(records []record, key string, version int64) []record {
	i := indexOf(records, key)
	if i < 0 {
		return append(records, record{key, version})
	}
	records[i].version = max(records[i].version, version)
	return records
}

func indexOf(records []record, key string) int {
	return slices.IndexFunc(records, func(r record) bool { return r.key == key })
}

// Act is an update that a controller has sent.
type Act struct {
	// Read is the object as the controller had read it.
	Read *wire.KeyValue
	// Wrote is the newest version that an update of the same object by the same process had been
	// answered with before; 0 if none had.
	Wrote int64
}

// history is for judges. The controller does not look into it.
type history struct {
	acts int
	last Act
}

func (h *history) act(kv *wire.KeyValue, writes []record) {
	h.acts++
	h.last = Act{Read: kv}
	// A judge must not ask what it judges: indexOf is the controller's.
	for _, r := range writes {
		if r.key == kv.Key {
			h.last.Wrote = r.version
		}
	}
}

// Acts is how many updates the controller has sent, those of earlier processes included, and Last the
// last of them.
func (c *Controller) Acts() int { return c.history.acts }
func (c *Controller) Last() Act { return c.history.last }

// Deviations are how a controller differs from client-go's consistency store (KEP-5647).
type Deviations struct {
	Consistency Consistency
	// RecordsRead has WroteAt record the resourceVersion that was read.
	RecordsRead bool
}

// Consistency says when a controller acts on the store of its informer.
type Consistency uint8

const (
	awaitsOwnWrites Consistency = iota
	getsObject
	actsAtOnce
)

// Choices has an option for each deviation.
var Choices = option.NewGroup("informers",
	option.Choice("controller-consistency", func(d *Deviations) *Consistency { return &d.Consistency }, "when a controller acts on what is in the store of its informer",
		option.Val("own-writes", "when its own last write about the object is in the store: as shipped (KEP-5647)"),
		option.Val("get", "as own-writes, but in place of waiting it acts on the answer to a GET without a resourceVersion, from the next API server if there is one: no release"),
		option.Bug("none", "at once, whatever it has written (before Kubernetes 1.36)")),
	option.Either("controller-records", func(d *Deviations) *bool { return &d.RecordsRead }, "the resourceVersion that a controller records of its own write",
		option.Val("answered", "that of the object in the answer: as shipped"),
		option.Bug("read", "that of the object that it had read: no release")),
)
