package clusterbed

import (
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// watcher watches all keys from the first revision on, or from one that may be ahead of what there is. Where a stream ends it goes on behind the last event, at the next member, as clientv3 does.
type watcher struct {
	sim.Idle
	name  string
	begin time.Duration
	// progress is how often it requests progress.
	progress time.Duration
	ahead    int
	// negative: it asks for revision -1 again and again, and is not judged.
	negative bool
	members  int

	conn sim.Conn
	at   int
	next int64
	// missed: it could not go on where it was, since that had been compacted.
	missed  bool
	streams []model.WatchStream
}

const (
	openWatch sim.Timer = iota
	requestProgress
)

var noteWatches = sim.NewNote1[int64]("clusterbed.watches", "watches from revision %d on")

// retry is how long a client waits after a connection has ended.
const retry = 100 * time.Millisecond

func (c *watcher) reset(name string, begin, progress time.Duration, ahead, members, at int) {
	*c = watcher{name: name, begin: begin, progress: progress, ahead: ahead, members: members, at: at, next: 1, streams: c.streams[:0]}
}

// Start implements sim.Node.
func (c *watcher) Start(env *sim.Env) {
	switch {
	case c.negative:
		c.next = -1
	case c.ahead > 1:
		c.next += int64(env.Choose(c.ahead, "revision to watch from"))
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
	env.Begin("watch", len(c.streams))
	if c.negative {
		env.Close(c.conn)
	}
	all := everything()
	q := &wire.WatchCreateRequest{Key: all.Key, RangeEnd: all.RangeEnd, StartRevision: c.next, PrevKv: true, ProgressNotify: true}
	c.streams = append(c.streams, model.WatchStream{Request: model.WatchRequest{
		Key: q.Key, End: q.RangeEnd, StartRevision: q.StartRevision, PrevKV: true, ProgressNotify: true,
	}})
	c.conn = env.Open(firstMember + sim.NodeID(c.at%c.members))
	env.Send(c.conn, q)
	if c.progress > 0 {
		env.Arm(requestProgress, c.progress)
	}
}

// Receive implements sim.Node.
func (c *watcher) Receive(env *sim.Env, m *sim.Message) {
	if m.Conn != c.conn {
		return
	}
	r, ok := m.Payload.(*wire.WatchResponse)
	if !ok {
		c.again(env)
		return
	}
	s := &c.streams[len(c.streams)-1]
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

// Clone implements sim.Cloner.
func (c *watcher) Clone() sim.Node {
	d := *c
	d.streams = append([]model.WatchStream(nil), c.streams...)
	for i := range d.streams {
		d.streams[i].Responses = append([]model.WatchResponse(nil), c.streams[i].Responses...)
	}
	return &d
}
