package controller

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
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
	cfg Config
	// running: its informer has synced.
	running bool
	// queue are the keys that are to be synced, failed those that wait for the timer.
	queue, failed []string
	// key is the one whose update is under way, call that; read is what the controller had
	// read of it.
	key  string
	call sim.Conn
	read *wire.KeyValue
	// records are the newest versions that the controller has recorded, by key.
	records []record
	// marks counts the updates of the process.
	marks int

	history history
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
func New(cfg Config) *Controller { return &Controller{cfg: cfg} }

// Forget drops what a process keeps in memory.
func (c *Controller) Forget() {
	*c = Controller{cfg: c.cfg, history: history{acts: c.history.acts}}
}

// Told is the event handler.
func (c *Controller) Told(env *sim.Env, key string) {
	env.Writes(cellQueue, 0)
	c.enqueue(env, key)
}

func (c *Controller) enqueue(env *sim.Env, key string) {
	if !slices.Contains(c.queue, key) {
		c.queue = append(c.queue, key)
	}
	c.wake(env)
}

// Begin starts the worker: the informer has synced.
func (c *Controller) Begin(env *sim.Env) {
	if !c.running {
		env.Writes(cellWorker, 0)
		c.running = true
		c.wake(env)
	}
}

func (c *Controller) wake(env *sim.Env) {
	if c.running && c.key == "" && len(c.queue) > 0 {
		env.Enable(c.cfg.Task)
	}
}

// Idle reports whether the controller has nothing to do.
func (c *Controller) Idle() bool { return c.key == "" && len(c.queue)+len(c.failed) == 0 }

// Run is a turn of the worker: syncs one key.
func (c *Controller) Run(env *sim.Env, store Store, to sim.NodeID) {
	env.Writes(cellQueue, 0)
	env.Writes(cellWorker, 0)
	if c.key != "" || len(c.queue) == 0 {
		return
	}
	key := c.queue[0]
	c.queue = slices.Delete(c.queue, 0, 1)
	if !c.ready(env, key, store) {
		c.fail(env, key)
		return
	}
	kv := store.Get(key)
	if kv != nil && Marked(kv.Value) == 0 {
		c.update(env, kv, to)
		return
	}
	c.wake(env)
}

// update sends an update for an object that the controller has read.
func (c *Controller) update(env *sim.Env, kv *wire.KeyValue, to sim.NodeID) {
	env.Begin("update", c.history.acts)
	c.marks++
	c.key, c.read = kv.Key, kv
	c.history.act(kv)
	if env.Noting() {
		env.Note(acts{kv})
	}
	c.call = env.Call(to, &wire.GuaranteedUpdateRequest{Key: kv.Key, Add: markPrefix + strconv.Itoa(c.marks)})
}

// Owns reports whether a message is an answer to the controller.
func (c *Controller) Owns(conn sim.Conn) bool { return c.call != sim.NoConn && conn == c.call }

// Receive takes the answer, or the news that there will be none.
func (c *Controller) Receive(env *sim.Env, p sim.Payload) {
	env.Writes(cellQueue, 0)
	env.Writes(cellWorker, 0)
	key := c.key
	c.key, c.call = "", sim.NoConn
	switch p := p.(type) {
	case *wire.ObjectResponse:
		env.Cover(written)
		if env.Noting() {
			env.Note(answered{p.Item})
		}
		c.wroteAt(env, key, p.Item.ModRevision)
		c.history.wrote(key, p.Item.ModRevision)
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
	if !slices.Contains(c.failed, key) {
		c.failed = append(c.failed, key)
	}
	env.Arm(c.cfg.Timer, requeueAfter)
	c.wake(env)
}

// Fire is the timer.
func (c *Controller) Fire(env *sim.Env) {
	env.Writes(cellQueue, 0)
	env.LooksAt(cellWorker, 0)
	for _, key := range c.failed {
		c.enqueue(env, key)
	}
	c.failed = nil
}

// Stop ends the worker.
func (c *Controller) Stop(env *sim.Env) {
	env.Writes(cellQueue, 0)
	env.Writes(cellWorker, 0)
	env.Close(c.call)
	c.running, c.call, c.key, c.queue, c.failed = false, sim.NoConn, "", nil, nil
	env.Disable(c.cfg.Task)
	env.Disarm(c.cfg.Timer)
}
