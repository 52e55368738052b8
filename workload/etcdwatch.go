package workload

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// EtcdWatch speaks etcd's watch protocol itself, without a client library: one
// stream, some watches on it, and progress requests. It records what etcd sent.
type EtcdWatch struct {
	name string
	plan EtcdWatchPlan

	conn      sim.Conn
	created   int
	requested int
	later     int
	// ended: the stream broke, or one of its ends closed it.
	ended bool
	// failure is the error with which etcd ended it, nil if that was not so.
	failure *wire.Error
	endedAt sim.Time
	// firstRequest is when the first progress request went out.
	firstRequest sim.Time
	responses    []Response
	// abandoned is, for each cancel request, how many responses had come before it.
	abandoned []int
}

// EtcdWatchPlan is what an EtcdWatch does.
type EtcdWatchPlan struct {
	To      sim.NodeID
	Creates []*wire.WatchCreateRequest
	// Requests is the number of progress requests. The first is sent After the
	// last Created response, the others Every apart.
	Requests     int
	After, Every sim.Duration
	// Later are further requests of any kind, sent one by one after those.
	Later []sim.Payload
	// Leaves has the client close the stream after all of these.
	Leaves bool
	// Begin is how long the stream waits before it opens.
	Begin sim.Delay
	// Draw sets Creates, Requests, Later and Leaves from choices of the run when the node
	// starts; nil leaves them as they are.
	Draw func(env *sim.Env, p *EtcdWatchPlan)
}

// digest mixes the requests into d.
func (p *EtcdWatchPlan) digest(d sim.Digest) sim.Digest {
	d = d.Int(int64(p.Requests)).Bool(p.Leaves)
	for _, c := range p.Creates {
		d = c.Digest(d)
	}
	for _, l := range p.Later {
		d = l.Digest(d)
	}
	return d
}

// Response is a response with the time of its arrival.
type Response struct {
	At sim.Time
	*wire.WatchResponse
}

const (
	openStream sim.Timer = iota
	nextRequest
)

var progressRequest = &wire.WatchProgressRequest{}

// Reset prepares the node for a run.
func (w *EtcdWatch) Reset(name string, plan EtcdWatchPlan) {
	*w = EtcdWatch{name: name, plan: plan, responses: w.responses[:0], abandoned: w.abandoned[:0]}
}

// Name is the node's name.
func (w *EtcdWatch) Name() string { return w.name }

// Plan is what the node does.
func (w *EtcdWatch) Plan() *EtcdWatchPlan { return &w.plan }

// Responses is what etcd sent, in order.
func (w *EtcdWatch) Responses() []Response { return w.responses }

// Ended reports whether the stream broke, or one of its ends closed it.
func (w *EtcdWatch) Ended() bool { return w.ended }

// End is when the stream ended, and the error with which etcd ended it, nil if it broke or
// was closed. It means nothing before that.
func (w *EtcdWatch) End() (at sim.Time, failure *wire.Error) { return w.endedAt, w.failure }

// Done reports whether all requests of the plan were sent, or the stream ended.
func (w *EtcdWatch) Done() bool {
	return w.ended || !w.plan.Leaves && w.created >= len(w.plan.Creates) && w.requested == w.plan.Requests && w.later == len(w.plan.Later)
}

// Sent is how many of the plan's first create requests, and of its later requests, were
// sent.
func (w *EtcdWatch) Sent() (creates, later int) {
	if w.conn == sim.NoConn {
		return 0, 0
	}
	return len(w.plan.Creates), w.later
}

// ProgressRequests is how many progress requests were sent.
func (w *EtcdWatch) ProgressRequests() int {
	n := w.requested
	for _, p := range w.plan.Later[:w.later] {
		if _, ok := p.(*wire.WatchProgressRequest); ok {
			n++
		}
	}
	return n
}

// FirstProgress is the time from the first progress request to the first answer for
// all watches of the stream; ok is false if there was none.
func (w *EtcdWatch) FirstProgress() (d sim.Duration, ok bool) {
	for i := range w.responses {
		r := &w.responses[i]
		if r.WatchID == wire.InvalidWatchID && r.IsProgressNotify() {
			return r.At.Sub(w.firstRequest), true
		}
	}
	return 0, false
}

// Start implements sim.Node.
func (w *EtcdWatch) Start(env *sim.Env) {
	if w.plan.Draw != nil {
		w.plan.Draw(env, &w.plan)
	}
	d := w.plan.Begin
	wait := d.Min
	if d.Steps > 0 {
		wait += (d.Max - d.Min) * sim.Duration(env.Choose(d.Steps+1, "begin")) / sim.Duration(d.Steps)
	}
	env.Arm(openStream, wait)
}

// Fire implements sim.Node.
func (w *EtcdWatch) Fire(env *sim.Env, t sim.Timer) {
	env.Writes(cellPlan, 0)
	if t == openStream {
		env.Begin("watch", 0)
		w.conn = env.Open(w.plan.To)
		for _, c := range w.plan.Creates {
			w.send(env, c)
		}
		return
	}
	switch {
	case w.requested < w.plan.Requests:
		env.Begin("progress", w.requested)
		if w.requested == 0 {
			w.firstRequest = env.Now()
		}
		w.requested++
		w.send(env, progressRequest)
	case w.later < len(w.plan.Later):
		env.Begin("later", w.later)
		p := w.plan.Later[w.later]
		if _, ok := p.(*wire.WatchCancelRequest); ok {
			env.Writes(cellRecord, 0)
			w.abandoned = append(w.abandoned, len(w.responses))
		}
		w.send(env, p)
		w.later++
	default:
		env.Begin("leave", 0)
		env.Writes(cellOpen, 0)
		w.ended, w.endedAt = true, env.Now()
		env.Close(w.conn)
		return
	}
	w.planNext(env, w.plan.Every)
}

func (w *EtcdWatch) send(env *sim.Env, p sim.Payload) {
	if env.Noting() {
		env.Note(etcdAsked{p})
	}
	env.Send(w.conn, p)
}

func (w *EtcdWatch) planNext(env *sim.Env, after sim.Duration) {
	env.LooksAt(cellPlan, 0)
	if w.requested < w.plan.Requests || w.later < len(w.plan.Later) || w.plan.Leaves {
		env.Arm(nextRequest, after)
	}
}

// Receive implements sim.Node.
func (w *EtcdWatch) Receive(env *sim.Env, m *sim.Message) {
	r, ok := m.Payload.(*wire.WatchResponse)
	if env.Noting() {
		env.Note(etcdAnswered{m.Payload})
	}
	if !ok {
		env.Writes(cellOpen, 0)
		if !w.ended {
			w.ended, w.endedAt = true, env.Now()
			w.failure, _ = m.Payload.(*wire.Error)
		}
		env.Disarm(nextRequest)
		return
	}
	w.declareResponse(env, r)
	env.LooksAt(cellPlan, 0)
	w.responses = append(w.responses, Response{At: env.Now(), WatchResponse: r})
	if r.Created && w.created < len(w.plan.Creates) {
		env.Writes(cellPlan, 0)
		w.created++
		if w.created == len(w.plan.Creates) {
			w.planNext(env, w.plan.After)
		}
	}
}

// declareResponse: what a response says of a watch rests on the response that created
// the watch. One for all watches says it of each.
func (w *EtcdWatch) declareResponse(env *sim.Env, r *wire.WatchResponse) {
	switch {
	case !env.Recording():
	case r.Created:
		env.WritesItem(cellRecord, 0, recordOf(r.WatchID))
	case r.WatchID == wire.InvalidWatchID:
		for i := range w.responses {
			if earlier := &w.responses[i]; earlier.Created {
				env.ReadsItem(cellRecord, 0, recordOf(earlier.WatchID))
			}
		}
		env.WritesItem(cellRecord, 0, sim.NoItem)
	default:
		env.ReadsItem(cellRecord, 0, recordOf(r.WatchID))
		env.WritesItem(cellRecord, 0, sim.NoItem)
	}
}

// recordOf is the item of a watch: ids begin at 0, items at 1.
func recordOf(id int64) int64 { return id + 1 }

// Run implements sim.Node; the node has no loops.
func (w *EtcdWatch) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (w *EtcdWatch) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (w *EtcdWatch) TimerName(t sim.Timer) string {
	if t == openStream {
		return "open stream"
	}
	return "request " + strconv.Itoa(w.requested+w.later+1)
}

// Clone implements sim.Cloner.
func (w *EtcdWatch) Clone() sim.Node {
	d := *w
	d.responses = append([]Response(nil), w.responses...)
	d.abandoned = slices.Clone(w.abandoned)
	return &d
}

// Fingerprint implements sim.Fingerprinter.
func (w *EtcdWatch) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, w) }

// Behaviour implements sim.Recorder.
func (w *EtcdWatch) Behaviour(d sim.Digest) sim.Digest { return sim.FoldCellsBut(d, w, cellRecord) }

// Cells implements sim.Celled.
func (w *EtcdWatch) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	record := sim.NewDigest
	for i := range w.responses {
		record = w.responses[i].Digest(record)
	}
	for _, a := range w.abandoned {
		record = record.Int(int64(a))
	}
	plan := sim.NewDigest.Int(int64(w.created)).Int(int64(w.requested)).Int(int64(w.later))
	if w.plan.Draw != nil {
		plan = w.plan.digest(plan)
	}
	visit(cellPlan, 0, plan)
	visit(cellOpen, 0, sim.NewDigest.Bool(w.ended))
	visit(cellRecord, 0, record)
}
