package progress

import "github.com/watchbed/watchbed/sim"

type state uint8

const (
	// idle: in cond.Wait, because no read waits for a fresh cache.
	idle state = iota
	// signalled: out of cond.Wait, and not yet at the lock again.
	signalled
	// selecting: waits for the timer.
	selecting
)

// conditional is upstream's ConditionalProgressRequester: while reads wait, it
// asks etcd for progress once a period.
//
// Its timer is set when a request goes out and when the goroutine starts, not
// when a read arrives. It runs on while no read waits, so a read that comes
// after a quiet period finds it expired and is asked for at once; a read that
// comes earlier waits for the rest of the period.
type conditional struct {
	stream
	state state
	// fired: the timer's channel holds its tick.
	fired bool
}

// Reset implements Requester.
func (q *conditional) Reset(cfg Config) {
	q.stream.reset(cfg)
	q.state, q.fired = idle, false
}

// Start implements Requester.
func (q *conditional) Start(env *sim.Env, life int) {
	q.stream.Start(env, life)
	env.Arm(q.cfg.Timer, q.cfg.Period)
}

// Add implements Requester.
func (q *conditional) Add(env *sim.Env) {
	q.stream.Add(env)
	if q.state == idle {
		q.state = signalled
		env.Enable(q.cfg.Task)
	}
}

// Run implements Requester.
func (q *conditional) Run(env *sim.Env) {
	env.Writes(CellRequester, 0)
	if q.turn(env) {
		q.send(env, q.request)
	}
}

// Fire implements Requester: the tick goes into the timer's channel.
func (q *conditional) Fire(env *sim.Env) {
	env.Writes(CellRequester, 0)
	if q.tick(env) {
		q.send(env, q.request)
	}
}

// turn is one turn of the goroutine. It returns true if it is time to ask.
func (q *conditional) turn(env *sim.Env) bool {
	switch {
	case q.state == selecting:
		return q.takeTick(env)
	case q.waiting == 0:
		env.Cover(requesterWokenInVain)
		q.state = idle
	default:
		q.state = selecting
		if q.fired {
			env.Cover(requesterAfterIdleness)
			env.Enable(q.cfg.Task)
		}
	}
	return false
}

// tick is the timer. It returns true if it is time to ask.
func (q *conditional) tick(env *sim.Env) bool {
	if q.state == selecting {
		return q.takeTick(env)
	}
	q.fired = true
	return false
}

// takeTick takes the tick from the channel. If no read waits any more the timer is
// set to zero, so that the next read finds it expired.
func (q *conditional) takeTick(env *sim.Env) bool {
	q.fired = false
	if q.waiting == 0 {
		env.Cover(requesterTickUnwanted)
		q.state = idle
		env.Arm(q.cfg.Timer, 0)
		return false
	}
	env.Arm(q.cfg.Timer, q.cfg.Period)
	return true
}

// Clone implements Requester.
func (q *conditional) Clone(of Waits) Requester { c := *q; c.cfg.Waits = of; return &c }

// Cells implements Requester.
func (q *conditional) Cells(visit sim.CellVisitor) {
	visit(CellRequester, 0, q.digest().Word(uint64(q.state)).Bool(q.fired))
}
