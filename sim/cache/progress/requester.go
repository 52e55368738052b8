// Package progress (unstable) asks etcd for progress notifications while reads wait for a fresh cache:
// upstream's ConditionalProgressRequester (KEP-2340), and what the draft of 2019 had in its place.
//
// The package imports sim, sim/state and sim/wire. It must never import sim/cache or what else is below that: it knows
// of reads only that they wait.
package progress

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Requests is the value of the option progress-requests: when a cache asks etcd for progress.
type Requests uint8

// The values of progress-requests.
const (
	Periodic Requests = iota
	Once
	Notify
	Echo
)

// Config is what one requester is made of.
type Config struct {
	Requests
	// Watch is the node that takes progress requests.
	Watch sim.NodeID
	// Metadata goes with each request, so that it travels on the cache's stream.
	Metadata string
	// Period is the time between two requests.
	Period sim.Duration
	// Task and Timer are those of the node that the requester uses.
	Task  sim.Task
	Timer sim.Timer
}

type phase uint8

const (
	// idle: in cond.Wait, because no read waits for a fresh cache.
	idle phase = iota
	// signalled: out of cond.Wait, and not yet at the lock again.
	signalled
	// selecting: waits for the timer.
	selecting
)

// Requester asks etcd for progress: while reads wait, once a period.
//
// Its timer is set when a request goes out and when the goroutine starts, not
// when a read arrives. It runs on while no read waits, so a read that comes
// after a quiet period finds it expired and is asked for at once; a read that
// comes earlier waits for the rest of the period.
type Requester struct {
	cfg     Config
	request *wire.ProgressRequest
	cause   sim.Cause
	loop    state.Var[loop] `cell:"cache: progress requester"`
	ids     state.Var[ids]  `cell:"cache: echoed progress request"`
}

var layout = state.Of[Requester]()

// loop is the state of the goroutine.
type loop struct {
	// waiting is the number of reads that wait.
	waiting int
	control sim.Conn
	state   phase
	// fired: the timer's channel holds its tick.
	fired bool
	// owed is the number of requests still to send (Once).
	owed int
}

// ids are the last ids that went out and came back. The notification with the id of a request that was
// sent after a read began proves the watch as new as the read, so that etcd need not be asked for its revision. It
// wants a server that echoes (Echo).
type ids struct{ asked, echoed int64 }

// Digest implements state.Digester: it is how many went out since the last that came back.
func (i *ids) Digest(d sim.Digest) sim.Digest { return d.Int(i.asked - i.echoed) }

// echoBits is how much of an id is the number of the request. The rest names the
// cache: others may share the stream, and a notification that answers them
// proves nothing here.
const echoBits = 40

// Reset makes the requester that of a new process.
func (q *Requester) Reset(cfg Config) {
	request := q.request
	if request == nil || request.Metadata != cfg.Metadata {
		request = &wire.ProgressRequest{Metadata: cfg.Metadata}
	}
	layout.Reset(q, 0, Requester{cfg: cfg, request: request})
}

// isPeriodic: requests go out by the timer.
func (q *Requester) isPeriodic() bool { return q.cfg.Requests == Periodic || q.cfg.Requests == Echo }

// Start begins with the stream for requests; life counts the starts.
func (q *Requester) Start(env *sim.Env, life int) {
	q.cause = env.Begin("progress", life)
	q.loop.Change(env).control = env.Open(q.cfg.Watch)
	if q.isPeriodic() {
		env.Arm(q.cfg.Timer, q.cfg.Period)
	}
}

// Add counts one more waiting read.
func (q *Requester) Add(env *sim.Env) {
	l := q.loop.Change(env)
	l.waiting++
	switch {
	case q.cfg.Requests == Once:
		l.owed++
		env.Enable(q.cfg.Task)
	case q.isPeriodic() && l.state == idle:
		l.state = signalled
		env.Enable(q.cfg.Task)
	}
}

// Remove counts one fewer. It does not wake the loop.
func (q *Requester) Remove(env *sim.Env) { q.loop.Change(env).waiting-- }

// Run is one turn of the goroutine, Config.Task. It reports whether etcd was asked.
func (q *Requester) Run(env *sim.Env) bool {
	l := q.loop.Change(env)
	switch {
	case q.cfg.Requests == Once:
		l.owed--
		env.Cover(requestedOnce)
		q.ask(env)
		if l.owed > 0 {
			env.Enable(q.cfg.Task)
		}
		return true
	case l.state == selecting:
		return q.takeTick(env)
	case l.waiting == 0:
		env.Cover(requesterWokenInVain)
		l.state = idle
	default:
		l.state = selecting
		if l.fired {
			env.Cover(requesterAfterIdleness)
			env.Enable(q.cfg.Task)
		}
	}
	return false
}

// Fire is Config.Timer going off: the tick goes into the timer's channel. It reports whether etcd was asked.
func (q *Requester) Fire(env *sim.Env) bool {
	l := q.loop.Change(env)
	if l.state == selecting {
		return q.takeTick(env)
	}
	l.fired = true
	return false
}

// takeTick takes the tick from the channel, and asks. If no read waits any more the timer is
// set to zero, so that the next read finds it expired.
func (q *Requester) takeTick(env *sim.Env) bool {
	l := q.loop.Value()
	l.fired = false
	if l.waiting == 0 {
		env.Cover(requesterTickUnwanted)
		l.state = idle
		env.Arm(q.cfg.Timer, 0)
		return false
	}
	env.Arm(q.cfg.Timer, q.cfg.Period)
	q.ask(env)
	return true
}

// ask asks for progress, with a new id if that is echoed.
func (q *Requester) ask(env *sim.Env) {
	request, l := q.request, q.loop.Value()
	if q.cfg.Requests == Echo {
		i := q.ids.ChangeItem(env, sim.NoItem)
		i.asked++
		request = &wire.ProgressRequest{Metadata: q.cfg.Metadata, ID: int64(env.Self())<<echoBits | i.asked}
	}
	env.Cover(Requested)
	env.Add(progressRequestsSent, 1)
	env.Under(q.cause)
	requested.Say(env)
	if !env.IsOpen(l.control) {
		l.control = env.Open(q.cfg.Watch)
	}
	env.Send(l.control, request)
}

// Hangup takes note that a connection has gone, and returns false if it was not the requester's.
func (q *Requester) Hangup(conn sim.Conn) bool {
	l := q.loop.Value()
	if conn != l.control {
		return false
	}
	l.control = sim.NoConn
	return true
}

// Close ends the stream.
func (q *Requester) Close(env *sim.Env) { env.Close(q.loop.Value().control) }

// Proof returns what proves to a read that begins now that the cache is fresh, the first request that is sent after
// now: Proved will say of it when its echo has come. 0 is no proof: the read has to ask etcd for its revision.
func (q *Requester) Proof(env *sim.Env) int64 {
	if q.cfg.Requests != Echo {
		return 0
	}
	q.loop.Read(env)
	return q.ids.Value().asked + 1
}

// Proved reports whether a proof has come.
func (q *Requester) Proved(env *sim.Env, proof int64) bool { return proof <= q.ids.Read(env).echoed }

// Distance is how far a proof is from coming: part of a cache's fingerprint.
func (q *Requester) Distance(proof int64) int64 { return proof - q.ids.Value().echoed }

// Heard takes a progress notification; id is that of the request that it answers, 0 if it names none.
func (q *Requester) Heard(env *sim.Env, id int64) {
	if q.cfg.Requests == Echo && id>>echoBits == int64(env.Self()) {
		env.Cover(echoed)
		i := q.ids.Change(env)
		i.echoed = max(i.echoed, id&(1<<echoBits-1))
	}
}

// Conns visits the connection of the stream.
func (q *Requester) Conns(visit func(sim.Conn)) { layout.Conns(q, visit) }

// Cells visits the cells of the requester.
func (q *Requester) Cells(visit sim.CellVisitor) { layout.Cells(q, visit) }

var requested = sim.NewNote0("progress.requested", "asks etcd for progress")

var (
	// Requested counts the requests for progress.
	Requested = sim.NewCoveragePoint("cache: progress requested")

	echoed                 = sim.NewCoveragePoint("cache: progress request echoed")
	requestedOnce          = sim.NewCoveragePoint("cache: progress requested once for a read")
	requesterAfterIdleness = sim.NewCoveragePoint("cache: progress requested at once after idleness")
	requesterTickUnwanted  = sim.NewCoveragePoint("cache: progress timer found no waiting read")
	requesterWokenInVain   = sim.NewCoveragePoint("cache: progress requester woken for a read that is gone")

	progressRequestsSent = metric.NewCounter("etcd_progress_requests_total", metric.Counted,
		"requests for a progress notification")
)
