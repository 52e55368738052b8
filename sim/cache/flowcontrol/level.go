package flowcontrol

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Surroundings is what a level needs of the cache behind it.
type Surroundings interface {
	// Execute begins a request. It ends with Level.Finished, which may be called before
	// Execute returns.
	Execute(env *sim.Env, m *sim.Message)
	// Refuse answers a request that is not executed.
	Refuse(env *sim.Env, m *sim.Message, err *wire.Error)
	// Resource says what is known of the resource now.
	Resource(env *sim.Env) Resource
}

// Config is what a level is made of. Task is the turn of a request that has left its
// queue, Timer the end of the longest wait.
type Config struct {
	Options
	Task         sim.Task
	Timer        sim.Timer
	Surroundings Surroundings
}

// Level is a priority level. The zero value, after Reset, has no limit.
type Level struct {
	cfg    Config
	queues []queue
	// executing have seats, in the order in which they got them.
	executing []Request
	// virtual is the virtual start of the last request that left its queue, last that
	// queue, arrivals how many requests came.
	virtual        int64
	last, arrivals int
	// refusals are all since the run began. Nothing in the process reads them, so they
	// are part of no cell.
	refusals []Refusal
	dealt    []int
}

// Reset begins a run.
func (l *Level) Reset(cfg Config) {
	*l = Level{queues: l.queues, executing: l.executing, refusals: l.refusals[:0], dealt: l.dealt}
	l.Reconfigure(cfg)
}

// Reconfigure is for a process with other options, which is started next.
func (l *Level) Reconfigure(cfg Config) {
	cfg.setDefaults()
	l.cfg = cfg
	l.Forget()
}

// Forget makes it the level of a new process.
func (l *Level) Forget() {
	l.executing, l.virtual, l.last, l.arrivals = l.executing[:0], 0, 0, 0
	if l.cfg.Seats == 0 {
		l.queues = l.queues[:0]
		return
	}
	l.queues = slices.Grow(l.queues[:0], l.cfg.Queues)[:l.cfg.Queues]
	for i := range l.queues {
		l.queues[i] = queue{waiting: l.queues[i].waiting[:0]}
	}
}

// Limits reports whether the level has a limit.
func (l *Level) Limits() bool { return l.cfg.Seats > 0 }

// Arrive takes a request, if there is a limit: it is executed now, or later, or refused (StartRequest).
func (l *Level) Arrive(env *sim.Env, m *sim.Message) {
	env.Writes(cellSeats, 0)
	env.Writes(cellQueues, 0)
	about := l.cfg.Surroundings.Resource(env)
	r := Request{Message: *m, Number: l.arrivals, Arrived: env.Now(), About: about, Seats: l.cfg.Estimate(m.Payload, about)}
	l.dealt = hand(m.From, l.cfg.HandSize, l.cfg.Queues, l.dealt)
	r.Queue = l.choose(l.dealt)
	l.arrivals++
	q := &l.queues[r.Queue]
	if l.InUse() >= l.cfg.Seats && len(q.waiting) >= l.cfg.QueueLength {
		env.Cover(queueFull)
		l.refuse(env, &r, QueueFull)
		return
	}
	q.push(r, l.virtual)
	l.dispatch(env)
	i := l.find(m.Conn)
	if i >= 0 {
		l.executing[i].begun = true
	}
	l.schedule(env)
	if i >= 0 {
		env.Cover(executedAtOnce)
		l.cfg.Surroundings.Execute(env, m)
		return
	}
	env.Cover(requestQueued)
	if env.Noting() {
		env.Note(queued.Of(m.From, m.Payload, sim.Some(r.Seats, "seat"), l.cfg.Seats, l.InUse()))
	}
}

// dispatch gives seats to as many requests as possible. It stops at the first one that
// finds too few: smaller ones in other queues do not overtake it.
func (l *Level) dispatch(env *sim.Env) {
	for {
		n := l.first()
		if n < 0 {
			return
		}
		if l.InUse()+l.queues[n].waiting[0].Seats > l.cfg.Seats {
			env.Cover(tooFewSeats)
			return
		}
		var r Request
		r, l.virtual = l.queues[n].pop()
		l.last = n
		l.executing = append(l.executing, r)
		env.Record(waitDuration, int64(env.Now()-r.Arrived))
	}
}

// schedule gives those that have left their queues a turn, and sets the timer to the end
// of the longest wait.
func (l *Level) schedule(env *sim.Env) {
	if slices.ContainsFunc(l.executing, func(r Request) bool { return !r.begun }) {
		env.Enable(l.cfg.Task)
	} else {
		env.Disable(l.cfg.Task)
	}
	if q := l.longest(); q != nil {
		end := q.waiting[0].Arrived + sim.Time(l.cfg.QueueWait)
		env.Arm(l.cfg.Timer, max(0, end.Sub(env.Now())))
	} else {
		env.Disarm(l.cfg.Timer)
	}
}

// longest is the queue in which the request waits that has waited longest, nil if none
// waits.
func (l *Level) longest() *queue {
	var in *queue
	for n := range l.queues {
		q := &l.queues[n]
		if len(q.waiting) > 0 && (in == nil || q.waiting[0].Number < in.waiting[0].Number) {
			in = q
		}
	}
	return in
}

// Run is the turn of one of the requests that have left their queues: each has a
// goroutine, and any of them may be next.
func (l *Level) Run(env *sim.Env) {
	env.Writes(cellSeats, 0)
	var left []int
	for i := range l.executing {
		if !l.executing[i].begun {
			left = append(left, i)
		}
	}
	r := &l.executing[left[env.Choose(len(left), "which request begins")]]
	env.Cover(executedLater)
	env.Under(r.Message.Cause)
	if env.Noting() {
		env.Note(seated.Of(r.Message.From, r.Message.Payload, sim.Some(r.Seats, "seat")))
	}
	r.begun = true
	m := r.Message
	l.schedule(env)
	l.cfg.Surroundings.Execute(env, &m)
}

// Delegates is called when a LIST is about to be put to etcd; it returns why it must
// not be.
func (l *Level) Delegates(env *sim.Env, conn sim.Conn) *wire.Error {
	if !l.Limits() {
		return nil
	}
	env.Writes(cellSeats, 0)
	r := &l.executing[l.find(conn)]
	cost := l.cfg.CostAtEtcd(r.List(), r.About)
	if cost > r.Seats {
		env.Cover(costsMore)
		if env.Noting() {
			env.Note(costs.Of(r.Message.From, sim.Some(r.Seats, "seat"), cost))
		}
		if l.cfg.SeatsAtEtcd {
			// A LIST cannot wait for more seats while it has some: two that did would wait for each other.
			if l.InUse()-r.Seats+cost > l.cfg.Seats {
				env.Cover(tooCostly)
				l.reject(env, r, CostlyAtEtcd)
				return TooManyRequests
			}
			r.Seats = cost
		}
	}
	r.AtEtcd = cost
	l.measure(env)
	return nil
}

// Finished is called when a request has been answered, or a watch has ended: others may
// have its seats. It does nothing if the request has none.
func (l *Level) Finished(env *sim.Env, conn sim.Conn) {
	if !l.Limits() {
		return
	}
	env.Writes(cellSeats, 0)
	i := l.find(conn)
	if i < 0 {
		return
	}
	l.release(env, i)
}

func (l *Level) release(env *sim.Env, i int) {
	l.executing = slices.Delete(l.executing, i, i+1)
	env.Writes(cellQueues, 0)
	l.dispatch(env)
	l.schedule(env)
}

// Left is called when a client has ended a watch. It does not begin if it has not begun.
func (l *Level) Left(env *sim.Env, conn sim.Conn) {
	if !l.Limits() {
		return
	}
	env.Writes(cellSeats, 0)
	env.Writes(cellQueues, 0)
	if i := l.find(conn); i >= 0 && !l.executing[i].begun {
		l.release(env, i)
	}
	for n := range l.queues {
		q := &l.queues[n]
		if i := slices.IndexFunc(q.waiting, func(r Request) bool { return r.Message.Conn == conn }); i >= 0 {
			env.Cover(leftQueue)
			q.remove(i)
			l.schedule(env)
		}
	}
}

// Fire is the end of the longest wait. The seats that are free stay so until the next
// request comes or ends, as upstream's do.
func (l *Level) Fire(env *sim.Env) {
	env.Writes(cellQueues, 0)
	q := l.longest()
	old := 1
	if l.cfg.QueueTimesOut {
		old = len(q.waiting)
	}
	for range old {
		r := q.waiting[0]
		q.remove(0)
		l.schedule(env)
		env.Cover(waitedTooLong)
		l.refuse(env, &r, TimeOut)
	}
}

// reject writes down that a request is refused.
func (l *Level) reject(env *sim.Env, r *Request, why Why) {
	l.refusals = append(l.refusals, Refusal{Request: *r, At: env.Now(), Why: why})
	env.Add(rejected[why], 1)
}

// refuse answers a request that has no seats.
func (l *Level) refuse(env *sim.Env, r *Request, why Why) {
	l.reject(env, r, why)
	if env.Noting() {
		because := "no seats are free and its queue is full"
		if why == TimeOut {
			because = "it has waited too long for seats"
		}
		env.Note(refused.Of(r.Message.From, r.Message.Payload, because))
	}
	l.cfg.Surroundings.Refuse(env, &r.Message, TooManyRequests)
}

// Initialized is called when a watch has sent its initial events (WatchInitialized; KEP-1040, "Watch initialization").
func (l *Level) Initialized(env *sim.Env, conn sim.Conn) {
	if !l.cfg.WatchesKeepSeats {
		l.Finished(env, conn)
		return
	}
	if i := l.find(conn); i >= 0 && env.Noting() {
		r := &l.executing[i]
		env.Note(seatsKept.Of(r.Message.From, r.Message.Payload, sim.Some(r.Seats, "seat")))
	}
}

// find is the place of a request among those that have seats, -1 if it has none.
func (l *Level) find(conn sim.Conn) int {
	return slices.IndexFunc(l.executing, func(r Request) bool { return r.Message.Conn == conn })
}

// InUse is how many seats are taken.
func (l *Level) InUse() int {
	n := 0
	for i := range l.executing {
		n += l.executing[i].Seats
	}
	return n
}
