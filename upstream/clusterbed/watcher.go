package clusterbed

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// watcher watches all keys from the first revision on, or from one that may be ahead of what there is. Where a stream
// ends it goes on behind the last event, at the next member, as clientv3 does.
type watcher struct {
	sim.Idle
	login
	name  string
	begin time.Duration
	// progress is how often it requests progress.
	progress time.Duration
	ahead    int
	// negative: it asks for revision -1 again and again, and is not judged.
	negative bool
	members  int
	// some: it may watch a key, or all from there on, in place of all keys. key and end are what it watches.
	some     bool
	key, end string

	conn sim.Conn
	at   int
	next int64
	// missed: it could not go on where it was, since that had been compacted.
	missed  bool
	streams []model.WatchStream
	// opened are the ticks at which they were.
	opened  []int64
	allowed []allowed
}

// allowed is a watch that a user has, with the ticks at which the token was asked for and the watch was there.
type allowed struct {
	need
	user          int
	token, answer int64
}

const (
	openWatch sim.Timer = iota
	requestProgress
)

var noteWatches = sim.NewNote1[int64]("clusterbed.watches", "watches from revision %d on")

// coverUnwatched is that a run has such a watch.
var coverUnwatched = sim.NewCoveragePoint("cluster: a watch is refused for what its user may do, or for the token")

// retry is how long a client waits after a connection has ended.
const retry = 100 * time.Millisecond

func (c *watcher) reset(name string, begin, progress time.Duration, ahead, members, at int) {
	*c = watcher{name: name, begin: begin, progress: progress, ahead: ahead, members: members, at: at, next: 1, streams: c.streams[:0], opened: c.opened[:0], allowed: c.allowed[:0]}
}

// Start implements sim.Node.
func (c *watcher) Start(env *sim.Env) {
	switch {
	case c.negative:
		c.next = -1
	case c.ahead > 1:
		c.next += int64(env.Choose(c.ahead, "revision to watch from"))
	}
	all := everything()
	c.key, c.end = all.Key, all.RangeEnd
	if c.some {
		if what := env.Choose(3, "what is watched"); what > 0 {
			c.key, c.end = prefix+"1", [...]string{1: "", 2: "\x00"}[what]
		}
	}
	env.Arm(openWatch, c.begin)
}

// Fire implements sim.Node.
func (c *watcher) Fire(env *sim.Env, t sim.Timer) {
	if t == requestProgress {
		env.Begin("progress", len(c.streams))
		env.Send(c.conn, &wire.WatchProgressRequest{})
		env.Arm(requestProgress, c.progress)
		return
	}
	if c.begins(env) {
		return
	}
	env.Begin("watch", len(c.streams))
	if c.negative {
		env.Close(c.conn)
	}
	q := &wire.WatchCreateRequest{Key: c.key, RangeEnd: c.end, StartRevision: c.next, PrevKv: true, ProgressNotify: true}
	c.streams = append(c.streams, model.WatchStream{Request: model.WatchRequest{
		Key: q.Key, End: q.RangeEnd, StartRevision: q.StartRevision, PrevKV: true, ProgressNotify: true,
	}})
	c.opened = append(c.opened, env.Tick())
	c.conn = env.Open(firstMember + sim.NodeID(c.at%c.members))
	env.Send(c.conn, c.gives(q))
	if c.progress > 0 {
		env.Arm(requestProgress, c.progress)
	}
}

// Receive implements sim.Node.
func (c *watcher) Receive(env *sim.Env, m *sim.Message) {
	if is, after := c.takes(m); is {
		env.Arm(openWatch, after)
		return
	}
	if m.Conn != c.conn {
		return
	}
	r, ok := m.Payload.(*wire.WatchResponse)
	if !ok {
		c.again(env)
		return
	}
	s := &c.streams[len(c.streams)-1]
	if len(s.Responses) == 0 && !r.Created && !c.negative {
		// Progress may come before Created. clientv3 takes it for no watch that was not created, and what it says is
		// about others of the stream.
		return
	}
	if c.user != "" && r.Created {
		if r.Canceled && !c.negative {
			// Releases of 3.5 say that it is denied, and may mean the token.
			env.Cover(coverUnwatched)
			c.streams, c.opened, c.token = c.streams[:len(c.streams)-1], c.opened[:len(c.opened)-1], ""
			c.again(env)
			env.Arm(openWatch, patience)
			return
		}
		c.allowed = append(c.allowed, allowed{need{key: c.key, end: c.end}, slices.Index(users[:], c.user), c.since, env.Tick()})
	}
	if r.Created {
		noteWatches.Say(env, s.Request.StartRevision)
	}
	if c.negative {
		if env.Arm(openWatch, 3*retry); !r.Created {
			c.again(env)
		}
		return
	}
	s.Responses = append(s.Responses, workload.WatchResponse(r))
	if n := len(r.Events); n > 0 {
		c.next = r.Events[n-1].Kv.ModRevision + 1
	} else if r.IsProgressNotify() {
		c.next = max(c.next, r.Revision+1)
	}
	if r.Canceled {
		c.missed = c.missed || r.CompactRevision > c.next
		c.next = max(c.next, r.CompactRevision)
		c.again(env)
	}
}

// again opens another stream, at the next member.
func (c *watcher) again(env *sim.Env) {
	env.Close(c.conn)
	c.conn = sim.NoConn
	c.at++
	env.Disarm(requestProgress)
	env.Arm(openWatch, retry)
}

// TimerName implements sim.Node.
func (*watcher) TimerName(t sim.Timer) string {
	return [...]string{"open a stream", "request progress"}[t]
}
