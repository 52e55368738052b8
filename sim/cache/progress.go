package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type requesterState uint8

const (
	// requesterIdle: in cond.Wait, because nobody waits for a fresh cache.
	requesterIdle requesterState = iota
	// requesterSignalled: out of cond.Wait, and not yet at the lock again.
	requesterSignalled
	// requesterSelecting: waits for the timer.
	requesterSelecting
)

// requester is upstream's ConditionalProgressRequester: while reads wait, it
// asks etcd for progress once a period.
//
// Its timer is set when a request goes out and when the goroutine starts, not
// when a read arrives. It runs on while nobody waits, so a read that comes
// after a quiet period finds it expired and is asked for at once; a read that
// comes earlier waits for the rest of the period.
type requester struct {
	cfg     *Config
	request *wire.ProgressRequest
	control sim.Conn
	cause   sim.Cause

	state   requesterState
	waiting int
	// fired: the timer's channel holds its tick, and nobody has taken it.
	fired bool
	// owed is the number of requests still to send, with ProgressOnce.
	owed int
	// asked and echoed are the last ids that went out and came back, with
	// ProgressEcho.
	asked, echoed int64
}

func (q *requester) start(env *sim.Env, life int) {
	q.cause = env.Begin("progress", life)
	q.control = env.Open(q.cfg.Watch)
	if q.cfg.ProgressRequests == ProgressPeriodic || q.cfg.ProgressRequests == ProgressEcho {
		env.Arm(timerProgress, q.cfg.ProgressRequestPeriod)
	}
}

// add counts one more waiting read.
func (q *requester) add(env *sim.Env) {
	q.waiting++
	switch {
	case q.cfg.ProgressRequests == ProgressNotify:
	case q.cfg.ProgressRequests == ProgressOnce:
		q.owed++
		env.Enable(taskProgress)
	case q.state == requesterIdle:
		q.state = requesterSignalled
		env.Enable(taskProgress)
	}
}

// remove counts one fewer. The goroutine is not told.
func (q *requester) remove() { q.waiting-- }

// run is one turn of the goroutine.
func (q *requester) run(env *sim.Env) {
	switch {
	case q.owed > 0:
		q.owed--
		env.Cover(progressOnce)
		q.send(env)
		if q.owed > 0 {
			env.Enable(taskProgress)
		}
	case q.state == requesterSelecting:
		q.tick(env)
	case q.waiting == 0:
		env.Cover(requesterWokenInVain)
		q.state = requesterIdle
	default:
		q.state = requesterSelecting
		if q.fired {
			env.Cover(requesterAfterIdleness)
			env.Enable(taskProgress)
		}
	}
}

// fire puts the tick into the timer's channel.
func (q *requester) fire(env *sim.Env) {
	if q.state == requesterSelecting {
		q.tick(env)
		return
	}
	q.fired = true
}

// tick takes the tick from the channel. If nobody waits any more the timer is
// set to zero, so that the next read finds it expired.
func (q *requester) tick(env *sim.Env) {
	q.fired = false
	if q.waiting == 0 {
		env.Cover(requesterTickUnwanted)
		q.state = requesterIdle
		env.Arm(timerProgress, 0)
		return
	}
	env.Arm(timerProgress, q.cfg.ProgressRequestPeriod)
	q.send(env)
}

func (q *requester) send(env *sim.Env) {
	env.Cover(progressRequested)
	env.Add(progressRequestsSent, 1)
	env.Under(q.cause)
	if env.Noting() {
		env.Say("asks etcd for progress")
	}
	if !env.IsOpen(q.control) {
		q.control = env.Open(q.cfg.Watch)
	}
	if q.cfg.ProgressRequests == ProgressEcho {
		q.asked++
		env.Send(q.control, &wire.ProgressRequest{Metadata: q.cfg.Metadata, ID: int64(env.Self())<<echoBits | q.asked})
		return
	}
	env.Send(q.control, q.request)
}

// echoBits is how much of an id is the number of the request. The rest names the
// cache: others may share the stream, and a notification that answers them
// proves nothing here.
const echoBits = 40

// nextEcho is the first request that is sent after now.
func (q *requester) nextEcho() int64 { return q.asked + 1 }

// takeEcho takes the id of a progress notification.
func (q *requester) takeEcho(env *sim.Env, id int64) {
	if id>>echoBits == int64(env.Self()) {
		env.Cover(progressEchoed)
		q.echoed = max(q.echoed, id&(1<<echoBits-1))
	}
}

func (q *requester) fingerprint(d sim.Digest) sim.Digest {
	return d.Word(uint64(q.state)).Bool(q.fired).Int(int64(q.owed)).Int(q.asked - q.echoed)
}
