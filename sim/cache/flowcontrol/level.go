// Package flowcontrol (unstable) is API Priority and Fairness (KEP-1040) in front of a cache: it
// says when a client's LIST, GET or WATCH is executed. Each takes seats for as long as it is
// executed, a watch until its initial events are sent. What finds too few seats waits in a queue,
// and is refused with 429 if the queue is full or the wait too long.
//
//	Level      a priority level: its seats, its queues, and who has which (level.go)
//	queue      the requests of some flows, and the order among queues (queue.go)
//	hand       the queues of a flow: shuffle sharding (queue.go)
//	Estimator  how many seats a request takes, decided before the cache sees it
//	           (estimator.go)
//
// # Simplified
//
// There is one priority level for each resource of an API server, with as many seats as
// the option says. Upstream has several for all resources, which flow schemas choose
// from, shares that divide the seats among levels, and seats that levels lend each
// other. Here every client has the same priority and is a flow of its own. Writes do not
// pass the cache, so that they take no seats, nor linger on them for the events that
// watchers are sent. Questions whether the server is ready are exempt, as upstream's are.
//
// Queues are served in the order of virtual finish, as upstream's are. Upstream's
// virtual time advances with the clock, and each request is charged for as long as it
// took. Here virtual time is the virtual start of the last request that left its queue,
// and each request is charged for its seats (start-time fair queuing): this needs no
// clock, which runs without time do not have. A flow whose requests take longer than
// those of another one is therefore given more of the seats than upstream would.
//
// A LIST has its seats until its client has all of the answer, where objects take time on their way (World.Pace);
// upstream's handler may return a window of HTTP/2 earlier.
//
// The number of objects is the cache's own, now, and their average size an option; upstream's is a minute old at most,
// and unknown before it is first counted, as it is here before the cache has listed. The
// client of a call does not say that it has gone, so that its request is executed
// nevertheless when its turn comes; upstream takes it out of its queue.
//
// The package must never import sim/cache or another package below it.
package flowcontrol

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
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
	seats  state.Var[seats]   `cell:"cache: seats"`
	queues state.Var[[]queue] `cell:"cache: queues of requests"`
	// refusals and grants are all since the run began. Nothing in the process reads them, so they
	// are part of no cell.
	refusals []Refusal
	grants   []Grant
	dealt    []int
}

type seats struct {
	// executing have seats, in the order in which they got them.
	executing []Request
	// virtual is the virtual start of the last request that left its queue, last that
	// queue, arrivals how many requests came.
	virtual        int64
	last, arrivals int
}

var layout = state.Of[Level]()

// Reset begins a run.
func (l *Level) Reset(cfg Config) {
	layout.Reset(l, 0, Level{refusals: l.refusals[:0], grants: l.grants[:0], dealt: l.dealt})
	l.Reconfigure(cfg)
}

// Reconfigure is for a process with other options, which is started next.
func (l *Level) Reconfigure(cfg Config) {
	Amounts.Fill(&cfg.Options)
	cfg.HandSize = min(cfg.HandSize, cfg.Queues)
	l.cfg = cfg
	l.Forget()
}

// Forget makes it the level of a new process.
func (l *Level) Forget() {
	*l.seats.Value() = seats{}
	*l.queues.Value() = nil
	if l.Limits() {
		*l.queues.Value() = make([]queue, l.cfg.Queues)
	}
}

// CloneTo copies the level to that of another cache.
func (l *Level) CloneTo(c *Level, around Surroundings) {
	*c = *layout.Clone(l)
	c.cfg.Surroundings, c.dealt, c.refusals, c.grants = around, nil, slices.Clip(l.refusals), slices.Clip(l.grants)
}

// Cells visits the cells of the level.
func (l *Level) Cells(visit sim.CellVisitor) {
	if l.Limits() {
		layout.Cells(l, visit)
	}
}

// Limits reports whether the level has a limit.
func (l *Level) Limits() bool { return l.cfg.Seats > 0 }

// Arrive takes a request, if there is a limit: it is executed now, or later, or refused (StartRequest).
func (l *Level) Arrive(env *sim.Env, m *sim.Message) {
	s, queues := l.seats.Change(env), *l.queues.Change(env)
	about := l.cfg.Surroundings.Resource(env)
	r := Request{Message: *m, Number: s.arrivals, Arrived: env.Now(), About: about, Seats: l.cfg.Estimate(m.Payload, about)}
	l.dealt = hand(m.From, l.cfg.HandSize, l.cfg.Queues, l.dealt)
	r.Queue = l.choose(l.dealt)
	s.arrivals++
	q := &queues[r.Queue]
	if l.InUse() >= l.cfg.Seats && len(q.waiting) >= l.cfg.QueueLength {
		env.Cover(queueFull)
		l.refuse(env, &r, QueueFull)
		return
	}
	q.push(r, s.virtual)
	l.dispatch(env)
	i := l.find(m.Conn)
	if i >= 0 {
		s.executing[i].begun = true
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

// dispatch gives seats to as many requests as possible. It stops at the first request that
// finds too few: smaller requests in other queues do not overtake it.
func (l *Level) dispatch(env *sim.Env) {
	s, queues := l.seats.Value(), *l.queues.Value()
	for n := l.first(); n >= 0; n = l.first() {
		if l.InUse()+queues[n].waiting[0].Seats > l.cfg.Seats {
			env.Cover(tooFewSeats)
			return
		}
		r, start := queues[n].pop()
		s.virtual, s.last, s.executing = start, n, append(s.executing, r)
		l.grants = append(l.grants, Grant{Request: r, At: env.Now()})
		env.Record(waitDuration, int64(env.Now()-r.Arrived))
	}
}

// schedule gives the requests that have left their queues a turn, and sets the timer to the end
// of the longest wait, or of an answer if that is sooner.
func (l *Level) schedule(env *sim.Env) {
	if slices.ContainsFunc(l.Executing(), func(r Request) bool { return !r.begun }) {
		env.Enable(l.cfg.Task)
	} else {
		env.Disable(l.cfg.Task)
	}
	end := sim.Time(0)
	if q := l.longest(); q != nil {
		end = q.waiting[0].Arrived + sim.Time(l.cfg.QueueWait)
	}
	for i := range l.Executing() {
		if sent := l.Executing()[i].Sending; sent > 0 && (end == 0 || sent < end) {
			end = sent
		}
	}
	if end > 0 {
		env.Arm(l.cfg.Timer, max(0, end.Sub(env.Now())))
	} else {
		env.Disarm(l.cfg.Timer)
	}
}

// longest is the queue in which the request waits that has waited longest, nil if none
// waits.
func (l *Level) longest() *queue {
	var in *queue
	queues := *l.queues.Value()
	for n := range queues {
		q := &queues[n]
		if len(q.waiting) > 0 && (in == nil || q.waiting[0].Number < in.waiting[0].Number) {
			in = q
		}
	}
	return in
}

// Run is the turn of one of the requests that have left their queues: each has a
// goroutine, and any of them may be next.
func (l *Level) Run(env *sim.Env) {
	executing := l.seats.Change(env).executing
	var left []int
	for i := range executing {
		if !executing[i].begun {
			left = append(left, i)
		}
	}
	r := &executing[left[env.Choose(len(left), "which request begins")]]
	env.Cover(executedLater)
	env.Under(r.Message.Cause)
	seated.Say(env, r.Message.From, r.Message.Payload, sim.Counted{N: r.Seats, Thing: "seat"})
	r.begun = true
	m := r.Message
	l.schedule(env)
	l.cfg.Surroundings.Execute(env, &m)
}

// Delegate is called when a LIST is about to be put to etcd; it returns why it must
// not be.
func (l *Level) Delegate(env *sim.Env, conn sim.Conn) *wire.Error {
	if !l.Limits() {
		return nil
	}
	r := &l.seats.Change(env).executing[l.find(conn)]
	cost := l.cfg.CostAtEtcd(r.List(), r.About)
	if cost > r.Seats {
		env.Cover(costsMore)
		costs.Say(env, r.Message.From, sim.Counted{N: r.Seats, Thing: "seat"}, cost)
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

// Answered is called when a LIST or GET has been answered. Its handler writes as fast as the client reads (flow control
// of HTTP/2), and has its seats until the last object is written.
func (l *Level) Answered(env *sim.Env, conn sim.Conn) {
	if !l.Limits() {
		return
	}
	if until, paced := env.Sending(conn); paced {
		if i := l.find(conn); i >= 0 {
			env.Cover(seatsWhileSent)
			r := &l.seats.Change(env).executing[i]
			// Not at the same time, when the answer may still be under way.
			r.Sending, r.AtEtcd = until+1, 0
			l.queues.Change(env)
			l.schedule(env)
		}
		return
	}
	l.Finished(env, conn)
}

// Finished is called when a request is over, or a watch has ended: others may
// have its seats. It does nothing if the request has none, or its answer is still being sent.
func (l *Level) Finished(env *sim.Env, conn sim.Conn) {
	if !l.Limits() {
		return
	}
	s := l.seats.Change(env)
	if i := l.find(conn); i >= 0 && s.executing[i].Sending == 0 {
		l.release(env, i)
	}
}

func (l *Level) release(env *sim.Env, i int) {
	s := l.seats.Value()
	s.executing = slices.Delete(s.executing, i, i+1)
	l.queues.Change(env)
	l.dispatch(env)
	l.schedule(env)
}

// Left is called when a client has ended a watch, which does not begin if it has not begun, or its connection has
// broken while an answer was sent.
func (l *Level) Left(env *sim.Env, conn sim.Conn) {
	if !l.Limits() {
		return
	}
	l.seats.Change(env)
	queues := *l.queues.Change(env)
	if i := l.find(conn); i >= 0 && (!l.Executing()[i].begun || l.Executing()[i].Sending > 0) {
		l.release(env, i)
	}
	for n := range queues {
		q := &queues[n]
		if i := slices.IndexFunc(q.waiting, func(r Request) bool { return r.Message.Conn == conn }); i >= 0 {
			env.Cover(leftQueue)
			q.remove(i)
			l.schedule(env)
		}
	}
}

// Fire is the end of an answer, or of the longest wait. The seats that are free then stay so until the next
// request comes or ends, as upstream's do.
func (l *Level) Fire(env *sim.Env) {
	l.queues.Change(env)
	for i := slices.IndexFunc(l.Executing(), l.sent(env)); i >= 0; i = slices.IndexFunc(l.Executing(), l.sent(env)) {
		l.seats.Change(env)
		l.release(env, i)
	}
	q := l.longest()
	if env.Mode() == sim.Timed && (q == nil || q.waiting[0].Arrived+sim.Time(l.cfg.QueueWait) > env.Now()) {
		l.schedule(env)
		return
	}
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

// sent is which requests have their answer.
func (l *Level) sent(env *sim.Env) func(Request) bool {
	return func(r Request) bool { return r.Sending > 0 && r.Sending <= env.Now() }
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
	if i := l.find(conn); i >= 0 {
		r := &l.Executing()[i]
		seatsKept.Say(env, r.Message.From, r.Message.Payload, sim.Counted{N: r.Seats, Thing: "seat"})
	}
}

// find is the place of a request among the executing ones, -1 if it has no seats.
func (l *Level) find(conn sim.Conn) int {
	return slices.IndexFunc(l.Executing(), func(r Request) bool { return r.Message.Conn == conn })
}

// InUse is how many seats are taken.
func (l *Level) InUse() int {
	n := 0
	for i := range l.Executing() {
		n += l.Executing()[i].Seats
	}
	return n
}

// The state of a level between two steps, for judges. It must not be changed.

// Options are those of the level, with the defaults.
func (l *Level) Options() *Options { return &l.cfg.Options }

// Arrivals is how many requests have come since the process began.
func (l *Level) Arrivals() int { return l.seats.Value().arrivals }

// Executing are the requests that have seats.
func (l *Level) Executing() []Request { return l.seats.Value().executing }

// Waiting calls f for each request that waits, queue by queue.
func (l *Level) Waiting(f func(*Request)) {
	for _, q := range *l.queues.Value() {
		for i := range q.waiting {
			f(&q.waiting[i])
		}
	}
}

// Refusals are all since the run began.
func (l *Level) Refusals() []Refusal { return l.refusals }

// Grants are all since the run began, in their order.
func (l *Level) Grants() []Grant { return l.grants }
