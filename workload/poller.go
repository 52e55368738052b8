package workload

import (
	"time"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// PollerPlan is what a Poller does.
type PollerPlan struct {
	// To is the cache that is asked for List.
	To   sim.NodeID
	List *wire.ListRequest
	// Think is the time from an answer to the next LIST.
	Think sim.Delay
	// Patience is how long the client waits for an answer. Then it closes the
	// connection and asks again. 0 is for ever.
	Patience sim.Duration
	// HonoursRetryAfter: after a refusal the client waits for the Retry-After that
	// it has. Otherwise, and without Retry-After, it waits for Pause.
	HonoursRetryAfter bool
	Pause             sim.Duration
	// Healed is when the faults of the run have ended. Bystander: they strike another
	// API server than To. Both are for metrics only.
	Healed    sim.Time
	Bystander bool
}

// Ending is how an attempt of a Poller ended.
type Ending uint8

const (
	// Pending: it has not ended yet.
	Pending Ending = iota
	Served
	Refused
	// Abandoned: the client has closed the connection after Patience.
	Abandoned
)

// Attempt is one LIST of a Poller.
type Attempt struct {
	// Wanted is the time of the first attempt at this LIST.
	Wanted, Call, Return sim.Time
	Ending               Ending
	Origin               wire.Origin
}

// Poller lists again and again, and does not give up: after a refusal it asks once
// more. It stands for controllers with their retries. It keeps no history but the
// times of its attempts.
type Poller struct {
	sim.Idle
	name string
	plan PollerPlan
	// conn is the attempt that is under way.
	conn     sim.Conn
	wanted   sim.Time
	n        int
	attempts []Attempt
	// ready: the cache has been ready once.
	ready bool
	// recovered: a LIST that began after Healed was answered.
	recovered bool
}

const (
	pollNext sim.Timer = iota
	pollPatience
)

// Reset gives the poller a plan and forgets the attempts of the run before.
func (p *Poller) Reset(name string, plan PollerPlan) {
	*p = Poller{name: name, plan: plan, attempts: p.attempts[:0]}
}

// Name is the poller's name.
func (p *Poller) Name() string { return p.name }

// VisitAsked visits what the poller asks, and of which node.
func (p *Poller) VisitAsked(visit func(to sim.NodeID, p sim.Payload)) { visit(p.plan.To, p.plan.List) }

// Attempts are those of the run so far, in the order of their calls.
func (p *Poller) Attempts() []Attempt { return p.attempts }

func (p *Poller) Start(env *sim.Env) {
	env.Write(cellOpen, 0)
	p.conn = env.Call(p.plan.To, &readyz)
}

// think plans the next LIST.
func (p *Poller) think(env *sim.Env) {
	wait := drawn(env, p.plan.Think, "think")
	env.Write(cellPlan, 0)
	p.wanted = env.Now() + sim.Time(wait)
	env.Arm(pollNext, wait)
}

func (p *Poller) Fire(env *sim.Env, t sim.Timer) {
	env.LookAt(cellOpen, 0)
	if t == pollPatience {
		env.Close(p.conn)
		listAbandoned.Say(env, p.plan.Patience)
		p.ended(env, Abandoned, wire.FromCache)
		env.Arm(pollNext, p.plan.Pause)
		return
	}
	env.Write(cellPlan, 0)
	env.Write(cellOpen, 0)
	env.Write(cellRecord, 0)
	env.Begin("list", p.n)
	p.n++
	p.attempts = append(p.attempts, Attempt{Wanted: p.wanted, Call: env.Now()})
	listAsked.Say(env, p.plan.List)
	p.conn = env.Call(p.plan.To, p.plan.List)
	if p.plan.Patience > 0 {
		env.Arm(pollPatience, p.plan.Patience)
	}
}

func (p *Poller) Receive(env *sim.Env, m *sim.Message) {
	env.LookAt(cellOpen, 0)
	if m.Conn != p.conn {
		return
	}
	if !p.ready {
		env.Write(cellOpen, 0)
		if _, p.ready = m.Payload.(*wire.ReadyzResponse); p.ready {
			p.think(env)
			return
		}
		p.Start(env)
		return
	}
	env.Disarm(pollPatience)
	listAnswered.Say(env, reply{m.Payload})
	if l, ok := m.Payload.(*wire.ListResponse); ok {
		p.ended(env, Served, l.Origin)
		p.think(env)
		return
	}
	p.ended(env, Refused, wire.FromCache)
	pause := p.plan.Pause
	if e, ok := m.Payload.(*wire.Error); ok && p.plan.HonoursRetryAfter && e.RetryAfter > 0 {
		pause = sim.Duration(e.RetryAfter) * time.Second
	}
	env.Arm(pollNext, pause)
}

func (p *Poller) ended(env *sim.Env, how Ending, origin wire.Origin) {
	env.Write(cellOpen, 0)
	env.Write(cellRecord, 0)
	a := &p.attempts[len(p.attempts)-1]
	a.Return, a.Ending, a.Origin = env.Now(), how, origin
	p.conn = sim.NoConn
	phase, server := duringFaults, 0
	if a.Call >= p.plan.Healed {
		phase = afterFaults
	}
	if p.plan.Bystander {
		server = bystander
	}
	env.Add(polls[phase][server][how], 1)
	if how != Served {
		return
	}
	env.Record(pollWait[phase][server], int64(a.Return.Sub(a.Wanted)))
	if phase == afterFaults && !p.recovered {
		p.recovered = true
		env.Record(pollRecovery, int64(a.Return.Sub(p.plan.Healed)))
	}
}

const (
	duringFaults = iota
	afterFaults
)

const bystander = 1

// Metrics of clients that do not give up: by the phase in which they asked, and by
// whether the fault struck their API server.
var (
	polls = [2][2][4]metric.Metric{
		duringFaults: {pollCounters("faults", "struck"), pollCounters("faults", "other")},
		afterFaults:  {pollCounters("healed", "struck"), pollCounters("healed", "other")},
	}
	pollWait = [2][2]metric.Metric{
		duringFaults: {pollMetric("faults", "struck"), pollMetric("faults", "other")},
		afterFaults:  {pollMetric("healed", "struck"), pollMetric("healed", "other")},
	}
	pollRecovery = metric.New("client_recovery_seconds", metric.Nanoseconds, "from the end of the faults to the first answer to a client's LIST that began after it; clients without such an answer are left out")
)

func pollCounters(phase, server string) (of [4]metric.Metric) {
	for ending, result := range [4]string{Served: "served", Refused: "refused", Abandoned: "abandoned"} {
		if result != "" {
			of[ending] = metric.NewCounter(pollLabels("client_lists_total", phase, server)+`,result="`+result+`"}`, metric.Counted, "LISTs of clients that do not give up")
		}
	}
	return of
}

func pollMetric(phase, server string) metric.Metric {
	return metric.New(pollLabels("client_list_wait_seconds", phase, server)+"}", metric.Nanoseconds, "from a client's first attempt at a LIST to its answer")
}

func pollLabels(name, phase, server string) string {
	return name + `{phase="` + phase + `",server="` + server + `"`
}

func (p *Poller) TimerName(t sim.Timer) string {
	if t == pollPatience {
		return "loses patience"
	}
	return "next"
}

func (p *Poller) Clone() sim.Node {
	c := *p
	c.attempts = append([]Attempt(nil), p.attempts...)
	return &c
}

// Fingerprint implements sim.Fingerprinter. The attempts are part of it: verdicts
// depend on them.
func (p *Poller) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, p) }

// Behaviour implements sim.Recorder. How many LISTs there were, and since when the next one
// is wanted, is only told to metrics and stories.
func (p *Poller) Behaviour(d sim.Digest) sim.Digest {
	return sim.FoldCells(d, p, cellPlan, cellRecord)
}

func (p *Poller) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	record := sim.NewDigest
	for i := range p.attempts {
		a := &p.attempts[i]
		record = record.Int(int64(a.Call)).Int(int64(a.Return)).Word(uint64(a.Ending)<<8 | uint64(a.Origin))
	}
	visit(cellPlan, 0, sim.NewDigest.Int(int64(p.n)).Int(int64(p.wanted)))
	visit(cellOpen, 0, sim.NewDigest.Bool(p.ready).Bool(p.conn != sim.NoConn))
	visit(cellRecord, 0, record)
}
