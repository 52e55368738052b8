package workload

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// EtcdWatch speaks etcd's watch protocol itself, without a client library: one
// stream, some watches on it, and progress requests. It records what etcd sent.
type EtcdWatch struct {
	sim.Idle
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

func (w *EtcdWatch) Start(env *sim.Env) {
	if w.plan.Draw != nil {
		w.plan.Draw(env, &w.plan)
	}
	env.Arm(openStream, drawn(env, w.plan.Begin, "begin"))
}

func (w *EtcdWatch) Fire(env *sim.Env, t sim.Timer) {
	env.Write(cellPlan, 0)
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
			env.Write(cellRecord, 0)
			w.abandoned = append(w.abandoned, len(w.responses))
		}
		w.send(env, p)
		w.later++
	default:
		env.Begin("leave", 0)
		env.Write(cellOpen, 0)
		w.ended, w.endedAt = true, env.Now()
		env.Close(w.conn)
		return
	}
	w.planNext(env, w.plan.Every)
}

func (w *EtcdWatch) send(env *sim.Env, p sim.Payload) {
	etcdAsked.Say(env, etcdRequest{p})
	env.Send(w.conn, p)
}

func (w *EtcdWatch) planNext(env *sim.Env, after sim.Duration) {
	env.LookAt(cellPlan, 0)
	if w.requested < w.plan.Requests || w.later < len(w.plan.Later) || w.plan.Leaves {
		env.Arm(nextRequest, after)
	}
}

func (w *EtcdWatch) Receive(env *sim.Env, m *sim.Message) {
	r, ok := m.Payload.(*wire.WatchResponse)
	etcdAnswered.Say(env, etcdResponse{m.Payload})
	if !ok {
		env.Write(cellOpen, 0)
		if !w.ended {
			w.ended, w.endedAt = true, env.Now()
			w.failure, _ = m.Payload.(*wire.Error)
		}
		env.Disarm(nextRequest)
		return
	}
	w.declareResponse(env, r)
	env.LookAt(cellPlan, 0)
	w.responses = append(w.responses, Response{At: env.Now(), WatchResponse: r})
	if r.Created && w.created < len(w.plan.Creates) {
		env.Write(cellPlan, 0)
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
		env.WriteItem(cellRecord, 0, recordOf(r.WatchID))
	case r.WatchID == wire.InvalidWatchID:
		for i := range w.responses {
			if earlier := &w.responses[i]; earlier.Created {
				env.ReadItem(cellRecord, 0, recordOf(earlier.WatchID))
			}
		}
		env.WriteItem(cellRecord, 0, sim.NoItem)
	default:
		env.ReadItem(cellRecord, 0, recordOf(r.WatchID))
		env.WriteItem(cellRecord, 0, sim.NoItem)
	}
}

// recordOf is the item of a watch: ids begin at 0, items at 1.
func recordOf(id int64) int64 { return id + 1 }

func (w *EtcdWatch) TimerName(t sim.Timer) string {
	if t == openStream {
		return "open stream"
	}
	return "request " + strconv.Itoa(w.requested+w.later+1)
}

func (w *EtcdWatch) Clone() sim.Node {
	d := *w
	d.responses = append([]Response(nil), w.responses...)
	d.abandoned = slices.Clone(w.abandoned)
	return &d
}

func (w *EtcdWatch) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, w) }
func (w *EtcdWatch) Behaviour(d sim.Digest) sim.Digest   { return sim.FoldCells(d, w, cellRecord) }

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

// Watch is a watch of a plan.
type Watch struct {
	*wire.WatchCreateRequest
	// ID is what etcd calls the watch, InvalidWatchID if it refuses it.
	ID int64
	// earlier is how many watches of the stream had the same id before.
	earlier int
	// cancel is which of the client's cancel requests ends the watch, -1 if none does.
	// CanceledBy is the place of that request in Later.
	cancel, CanceledBy int
	// Place is that of the create request in Creates, or in Later if Later is set.
	Place int
	Later bool
}

// WatchRules are what releases of etcd do otherwise with a create request.
type WatchRules struct {
	// RefusesNegative: start revisions below 0 are refused.
	RefusesNegative bool
	// CountsIDs: the id that a request names has no meaning.
	CountsIDs bool
}

// Watches are the watches of the plan in the order in which they are asked for. Their ids
// follow from the requests (watchStream.Watch): etcd carries out those of one stream one
// after the other, and a watch that a compaction ended keeps its id.
func (w *EtcdWatch) Watches(rules WatchRules) []Watch {
	ids := watchIDs{used: map[int64]int{}, WatchRules: rules}
	for i, c := range w.plan.Creates {
		ids.create(c, i, false)
	}
	for i, p := range w.plan.Later {
		switch p := p.(type) {
		case *wire.WatchCreateRequest:
			ids.create(p, i, true)
		case *wire.WatchCancelRequest:
			ids.cancel(p.WatchID, i)
		}
	}
	return ids.watches
}

// watchIDs gives ids to watches as etcd does.
type watchIDs struct {
	WatchRules
	watches []Watch
	// live are the places in watches of the watches that have their id.
	live    []int
	next    int64
	cancels int
	// used is how many watches have had an id.
	used map[int64]int
}

func (ids *watchIDs) create(c *wire.WatchCreateRequest, place int, later bool) {
	id := ids.pick(c)
	ids.watches = append(ids.watches, Watch{
		WatchCreateRequest: c, ID: id, earlier: ids.used[id], cancel: -1, CanceledBy: -1, Place: place, Later: later,
	})
	if id != wire.InvalidWatchID {
		ids.live = append(ids.live, len(ids.watches)-1)
		ids.used[id]++
	}
}

func (ids *watchIDs) cancel(id int64, place int) {
	if i := ids.find(id); i >= 0 {
		of := &ids.watches[ids.live[i]]
		of.cancel, of.CanceledBy = ids.cancels, place
		ids.live = slices.Delete(ids.live, i, i+1)
	}
	ids.cancels++
}

// find is the place in live of the watch with an id, -1 if there is none.
func (ids *watchIDs) find(id int64) int {
	return slices.IndexFunc(ids.live, func(i int) bool { return ids.watches[i].ID == id })
}

func (ids *watchIDs) pick(c *wire.WatchCreateRequest) int64 {
	empty := c.RangeEnd != "" && c.RangeEnd != "\x00" && c.Key >= c.RangeEnd
	names := c.WatchID != wire.AutoWatchID && !ids.CountsIDs
	taken := names && ids.find(c.WatchID) >= 0
	switch {
	case c.StartRevision < 0 && ids.RefusesNegative, empty, taken:
		return wire.InvalidWatchID
	case names:
		return c.WatchID
	}
	for ids.find(ids.next) >= 0 {
		ids.next++
	}
	ids.next++
	return ids.next - 1
}

// ResponsesTo is what etcd sent to a watch: what has its id, and from its Created
// response on what speaks for all watches of the stream. It ends where the client asked
// to cancel the watch: from then on etcd promises nothing for it, and progress for all
// watches of the stream does not include it.
func (w *EtcdWatch) ResponsesTo(watch Watch) []Response {
	from, to := w.lifeOf(watch)
	var all []Response
	created := false
	for k := from; k < to; k++ {
		r := &w.responses[k]
		own := r.WatchID == watch.ID && watch.ID != wire.InvalidWatchID
		// A Created response for all of them refuses a request.
		if own || created && r.WatchID == wire.InvalidWatchID && !r.Created {
			created = created || r.Created
			all = append(all, *r)
		}
	}
	return all
}

// Stream is the part of the stream that belongs to one of its watches.
func (w *EtcdWatch) Stream(c Watch) model.WatchStream {
	m := model.WatchStream{Request: WatchRequest(c.WatchCreateRequest)}
	for _, resp := range w.ResponsesTo(c) {
		m.Responses = append(m.Responses, WatchResponse(resp.WatchResponse))
	}
	return m
}

// WatchRequest is a create request as the judges know it.
func WatchRequest(c *wire.WatchCreateRequest) model.WatchRequest {
	return model.WatchRequest{
		Key: c.Key, End: c.RangeEnd, StartRevision: c.StartRevision, PrevKV: c.PrevKv,
		NoPut: c.Filters&wire.NoPut != 0, NoDelete: c.Filters&wire.NoDelete != 0, ProgressNotify: c.ProgressNotify,
	}
}

// WatchResponse is a response as the judges know it.
func WatchResponse(r *wire.WatchResponse) model.WatchResponse {
	out := model.WatchResponse{
		Revision: r.Revision, Created: r.Created, Fragment: r.Fragment,
		Progress: r.IsProgressNotify(), Canceled: r.Canceled, CompactRevision: r.CompactRevision,
	}
	for _, e := range r.Events {
		it := Item(e.Kv)
		ev := model.WatchEvent{Item: &it, Revision: e.Kv.ModRevision}
		if e.Type == wire.Delete {
			ev.Type = model.DeleteEvent
		}
		if e.PrevKv != nil {
			prev := Item(e.PrevKv)
			ev.PrevItem = &prev
		}
		out.Events = append(out.Events, ev)
	}
	return out
}

// lifeOf is the part of the responses in which an id means this watch. The first watch of
// an id has it from the beginning, so that an event before Created is noticed.
func (w *EtcdWatch) lifeOf(watch Watch) (from, to int) {
	created := -1
	for k := range w.responses {
		if r := &w.responses[k]; r.Created && r.WatchID == watch.ID {
			created++
			if created == watch.earlier && created > 0 {
				from = k
			}
			if created == watch.earlier+1 {
				return from, w.canceled(watch, k)
			}
		}
	}
	if created < watch.earlier && watch.earlier > 0 {
		return 0, 0
	}
	return from, w.canceled(watch, len(w.responses))
}

// canceled is where the client asked to cancel a watch, or to if it did not.
func (w *EtcdWatch) canceled(watch Watch, to int) int {
	if c := watch.cancel; c >= 0 && c < len(w.abandoned) {
		return min(to, w.abandoned[c])
	}
	return to
}

// IsLive reports whether a watch was created, and neither etcd nor the client has ended it.
func (w *EtcdWatch) IsLive(watch Watch) bool {
	created := false
	for _, r := range w.ResponsesTo(watch) {
		if r.Canceled {
			return false
		}
		created = created || r.Created
	}
	return created && !w.ended && !w.HasLeft(watch)
}

// Conn is the stream, sim.NoConn if it was not opened.
func (w *EtcdWatch) Conn() sim.Conn { return w.conn }

// HasLeft reports whether the client asked to cancel a watch.
func (w *EtcdWatch) HasLeft(watch Watch) bool {
	return watch.cancel >= 0 && watch.cancel < len(w.abandoned)
}
