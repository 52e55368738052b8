package workload

import (
	"math"
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Step is one operation of a client's program.
type Step struct {
	// To is the node that is asked.
	To sim.NodeID
	// Payload is what goes over the wire, Request the same in the words of
	// histories.
	Payload sim.Payload
	Request *model.Request
	// Think is how long the client waits before it asks, in timed runs.
	Think sim.Delay
	// Pages is how many more pages of a LIST the client requests, while there are
	// more. Each of them is an operation of its own.
	Pages int
	// Turns are the nodes that take turns in being asked for later pages; none is that
	// they are requested of the same node.
	Turns []sim.NodeID
	// BesideToken gives the resourceVersion and the match that stand beside the
	// continue tokens of later pages; nil is none. The API may refuse them.
	BesideToken *wire.ListRequest
	// SinceSeen, if it is not nil, is the step that takes the place of this one once the
	// client has seen a revision: the newest that it was answered.
	SinceSeen func(seen int64) Step
	// SinceOwn is the same of an object that an earlier write was answered with, the newest
	// of the key OwnKey.
	SinceOwn func(own *wire.KeyValue) Step
	OwnKey   string
	// Next, if it is not nil, is given the operation when that has ended, and gives the step that follows it; nil is
	// that of the program. It depends on nothing but the operations of the client.
	Next func(ended *model.Operation, span *Span) *Step
	// TakesRest: the client goes on with the token of a refusal if a page was compacted,
	// and has a list of two states then.
	TakesRest bool
}

// Span is when, on the virtual clock, an operation was asked and answered.
type Span struct {
	Call, Return sim.Time
	// Phase is the one in which it was asked.
	Phase  sim.Phase
	Origin wire.Origin
	// RetryAfter is when a refusal lets the client ask again, in seconds; 0 if it does
	// not say.
	RetryAfter int
	// Header is that of an answer of etcd, nil if there is none.
	Header *wire.Header
	// Missing is the resourceVersion of the state in which a GET found no object.
	Missing int64
	// Rest is the continue token of a refusal.
	Rest string
	// Chunks are what a RangeStream was answered with, as they came.
	Chunks []*wire.RangeStreamResponse
	// Write is the answer to a write through an API server, nil for other operations.
	Write sim.Payload
	// Answered is false while the client still waits. Code is that of a refusal, 0 if there is none or if the
	// connection broke.
	Answered bool
	Code     wire.Code
}

// Draw makes a program of choices of the run, so that each run has requests of its own and a recording has them too.
// Choice 0 is the plainest request: shrinking leads there. Without a run it makes the least plain one.
type Draw func(env *sim.Env) []Step

// Client carries out its program, one operation at a time.
type Client struct {
	sim.Idle
	// These four stand together because Done looks at them after each step of a
	// world.
	program []Step
	next    int
	// page is the request for the next page of the last list, or the step that Next gave; nil if there is none.
	page    *Step
	waiting bool
	// decides: a step had Next, so that later ones depend on the record.
	decides bool

	name  string
	index int
	// draw makes the program when the client starts, nil if that is fixed.
	draw Draw
	// wrap is what a request becomes when it is sent, nil if it stays what it is.
	wrap func(sim.Payload) sim.Payload
	// drawn is the digest of a program that was drawn.
	drawn sim.Digest
	// await is the cache that has to be ready first, or sim.NoNode.
	await sim.NodeID
	conn  sim.Conn
	// chunks is what has come of the answer to a RangeStream.
	chunks *wire.RangeResponse
	// asked is the step of the last operation.
	asked *Step

	operations []model.Operation
	// requests are the payloads of operations, index by index.
	requests []sim.Payload
	spans    []Span
	// The histories of a run live in these until the next Reset, so that a
	// schedule costs no garbage.
	results []model.Result
	items   []model.Item
	lists   []*model.Item
}

const nextOperation sim.Timer = 0

var readyz wire.ReadyzRequest

// Reset gives the client a program and forgets what it recorded. The recorded
// operations of the run before are overwritten. The program begins when the
// cache await is ready, or at once if that is 0.
func (c *Client) Reset(name string, index int, program []Step, await sim.NodeID) {
	*c = Client{
		name: name, index: index, program: program, await: await,
		operations: c.operations[:0], requests: c.requests[:0], spans: c.spans[:0],
		results: c.results[:0], items: c.items[:0], lists: c.lists[:0],
	}
}

// SetDraw has the client draw its program when it starts. It is called after Reset.
func (c *Client) SetDraw(draw Draw) { c.draw = draw }

// SetWrap has the client send each request in another one, which is answered as that is. It is called after Reset.
func (c *Client) SetWrap(wrap func(sim.Payload) sim.Payload) { c.wrap = wrap }

// Name is the client's name in histories.
func (c *Client) Name() string { return c.name }

// VisitAsked visits what the client asks, and of which node.
func (c *Client) VisitAsked(visit func(to sim.NodeID, p sim.Payload)) {
	program := c.program
	if c.draw != nil {
		program = c.draw(nil)
	}
	for i := range program {
		s := &program[i]
		visit(s.To, s.Payload)
		if s.SinceSeen != nil {
			visit(s.To, s.SinceSeen(1).Payload)
		}
	}
}

// Done reports whether the program has ended.
func (c *Client) Done() bool { return !c.waiting && c.next == len(c.program) && c.page == nil }

// Waiting reports whether an operation has no answer yet.
func (c *Client) Waiting() bool { return c.waiting }

// Asked is the node that got the last operation's request; 0 before the first.
func (c *Client) Asked() sim.NodeID {
	if c.asked == nil {
		return 0
	}
	return c.asked.To
}

// Request is the last operation's request; nil before the first.
func (c *Client) Request() sim.Payload {
	if c.asked == nil {
		return nil
	}
	return c.asked.Payload
}

// Operations is what the client recorded, in the order of its calls. An
// operation that is still waiting is Unknown.
func (c *Client) Operations() []model.Operation { return c.operations }

// Requests are what was sent for Operations, index by index.
func (c *Client) Requests() []sim.Payload { return c.requests }

// Spans belong to Operations, index by index.
func (c *Client) Spans() []Span { return c.spans }

func (c *Client) Start(env *sim.Env) {
	if c.draw != nil {
		c.drawProgram(env)
	}
	c.begin(env)
}

func (c *Client) drawProgram(env *sim.Env) {
	c.program = c.draw(env)
	c.drawn = sim.NewDigest
	for i := range c.program {
		c.drawn = c.program[i].Payload.Digest(c.drawn).Int(int64(c.program[i].Pages))
	}
}

// begin begins the program, or waits for the cache first.
func (c *Client) begin(env *sim.Env) {
	env.Write(cellOpen, 0)
	if c.await != 0 {
		c.conn = env.Call(c.await, &readyz)
		return
	}
	c.plan(env)
}

func (c *Client) plan(env *sim.Env) {
	if c.next == len(c.program) && c.page == nil {
		return
	}
	env.Arm(nextOperation, drawn(env, c.upcoming().Think, "think"))
}

// drawn is a delay that a choice picks.
func drawn(env *sim.Env, d sim.Delay, what string) sim.Duration {
	if d.Steps == 0 {
		return d.Min
	}
	return d.Min + (d.Max-d.Min)*sim.Duration(env.Choose(d.Steps+1, what))/sim.Duration(d.Steps)
}

// upcoming is the next step: the next page of a list comes before the next step of
// the program.
func (c *Client) upcoming() *Step {
	if c.page != nil {
		return c.page
	}
	return &c.program[c.next]
}

// Fire implements sim.Node: the next operation begins.
func (c *Client) Fire(env *sim.Env, _ sim.Timer) {
	env.LookAt(cellPage, 0)
	env.Write(cellOpen, 0)
	env.Write(cellRecord, 0)
	s := c.upcoming()
	if s == c.page {
		env.Read(cellPage, 0)
		env.Write(cellPage, 0)
		what := "page"
		if c.asked.Next != nil {
			what = s.Request.Kind.String()
		}
		env.Begin(what, len(c.operations))
		c.page = nil
	} else {
		env.Write(cellPlan, 0)
		env.Begin(s.Request.Kind.String(), c.next)
		c.next++
		s = c.sinceSeen(env, s)
	}
	c.asked = s
	c.decides = c.decides || s.Next != nil
	c.waiting = true
	c.operations = append(c.operations, model.Operation{
		Client: c.index, Call: env.Tick(), Return: math.MaxInt64,
		Request: s.Request, Outcome: model.Unknown,
	})
	c.requests = append(c.requests, s.Payload)
	c.spans = append(c.spans, Span{Call: env.Now(), Phase: env.Phase()})
	operationBegan.Say(env, operation{s.Payload})
	p := s.Payload
	if c.wrap != nil {
		p = c.wrap(p)
	}
	if _, streams := p.(*wire.RangeStreamRequest); streams {
		c.chunks = &wire.RangeResponse{}
		c.conn = env.Open(s.To)
		env.Send(c.conn, p)
		return
	}
	c.conn = env.Call(s.To, p)
}

// chunk takes the next part of the answer to a RangeStream. The end of the stream, if it comes in order, is the answer.
func (c *Client) chunk(m *sim.Message) (answer sim.Payload, over bool) {
	switch p := m.Payload.(type) {
	case *wire.RangeStreamResponse:
		span := &c.spans[len(c.spans)-1]
		// A clone of the client has those before.
		span.Chunks = append(slices.Clip(span.Chunks), p)
		c.chunks = &wire.RangeResponse{Revision: p.Revision, Kvs: slices.Concat(c.chunks.Kvs, p.Kvs), More: p.More, Count: p.Count}
		return nil, false
	case *sim.Hangup:
		if !p.Broken {
			return c.chunks, true
		}
	}
	return m.Payload, true
}

// sinceSeen is the step with what the client has seen in it, or the step itself.
func (c *Client) sinceSeen(env *sim.Env, s *Step) *Step {
	if s.SinceOwn != nil {
		env.Read(cellRecord, 0)
		if own := c.own(s.OwnKey); own != nil {
			since := s.SinceOwn(own)
			return &since
		}
		return s
	}
	if s.SinceSeen == nil {
		return s
	}
	env.Read(cellRecord, 0)
	seen := c.seen()
	if seen == 0 {
		return s
	}
	since := s.SinceSeen(seen)
	return &since
}

// seen is the newest revision that the client was answered, 0 if there is none.
func (c *Client) seen() int64 {
	var newest int64
	for i := range c.operations {
		if op := &c.operations[i]; op.Outcome == model.Done {
			newest = max(newest, op.Result.Revision)
		}
	}
	return newest
}

// Receive implements sim.Node: the answer comes, or the connection ends without one.
func (c *Client) Receive(env *sim.Env, m *sim.Message) {
	env.LookAt(cellOpen, 0)
	if m.Conn != c.conn {
		return
	}
	if c.await != 0 {
		if _, ready := m.Payload.(*wire.ReadyzResponse); ready {
			c.await = 0
		}
		// Otherwise the server's process ended: ask its next one.
		c.begin(env)
		return
	}
	if !c.waiting {
		return
	}
	env.Write(cellOpen, 0)
	answer := m.Payload
	if c.chunks != nil {
		over := false
		if answer, over = c.chunk(m); !over {
			return
		}
		c.chunks = nil
	}
	env.Write(cellRecord, 0)
	c.waiting = false
	op := &c.operations[len(c.operations)-1]
	span := &c.spans[len(c.spans)-1]
	span.Return, span.Answered = env.Now(), true
	tick := env.Tick()
	c.results = append(c.results, model.Result{})
	res := &c.results[len(c.results)-1]
	op.Outcome = c.take(answer, res, span)
	if requestOfWrite(c.asked.Payload) != nil {
		c.takeWrite(m.Payload, op, res, span)
	}
	if op.Outcome != model.Unknown {
		op.Return, op.Result = tick, res
	}
	if _, list := c.asked.Payload.(*wire.ListRequest); list && ignoresLimit(op.Request, res) {
		op.Request = withoutLimit(op.Request)
	}
	operationEnded.Say(env, outcome{reply{answer}})
	if c.asked.Pages > 0 {
		env.Write(cellPage, 0)
		c.turnPage(m.Payload)
	}
	if c.asked.Next != nil {
		env.Read(cellRecord, 0)
		env.Write(cellPage, 0)
		c.page = c.asked.Next(op, span)
	}
	c.plan(env)
}

// ignoresLimit reports whether an answer may be one without regard to the limit: an API
// server may ignore it and return everything (Kubernetes API concepts, "Retrieving large
// results sets in chunks"). As many objects as the limit allows may be all that a selector
// selects, and if that is so no token follows, though objects follow that it does not
// select.
func ignoresLimit(r *model.Request, res *model.Result) bool {
	n := int64(len(res.Items))
	return r.Limit > 0 && (n > r.Limit || n == r.Limit && !res.More && r.Selection.Values != model.ValuePattern{})
}

func withoutLimit(r *model.Request) *model.Request {
	whole := *r
	whole.Limit = 0
	return &whole
}

// take translates an answer. The outcome is Unknown where a write may have
// happened and the answer does not say so.
func (c *Client) take(p sim.Payload, res *model.Result, span *Span) model.Outcome {
	if h, ok := p.(interface{ From() *wire.Header }); ok {
		span.Header = h.From()
	}
	switch p := p.(type) {
	case *wire.PutResponse:
		res.Revision, res.Prev = p.Revision, c.previous(p)
	case *wire.DeleteRangeResponse:
		res.Revision, res.Deleted, res.Prev = p.Revision, p.Deleted, c.convert(p.PrevKvs)
	case *wire.CompactionResponse:
		res.Revision = p.Revision
	case *wire.LeaseGrantResponse:
		res.Revision, res.Lease = p.Revision, &model.Lease{ID: p.ID, TTL: p.TTL}
	case *wire.LeaseRevokeResponse:
		res.Revision = p.Revision
	case *wire.LeaseKeepAliveResponse:
		res.Revision, res.Lease = p.Revision, &model.Lease{ID: p.ID, TTL: p.TTL}
	case *wire.LeaseTimeToLiveResponse:
		res.Revision, res.Lease = p.Revision, &model.Lease{ID: p.ID, TTL: p.TTL, Granted: p.GrantedTTL, Keys: p.Keys}
	case *wire.RangeResponse:
		c.takeRange(p, res)
	case *wire.TxnResponse:
		c.takeTxn(p, res)
	case *wire.ListResponse:
		span.Origin = p.Origin
		res.Revision, res.Items, res.More = p.ResourceVersion, c.convert(p.Items), p.Continue != ""
		res.Count = int64(len(p.Items)) + p.RemainingItemCount
	case *wire.GetResponse:
		span.Origin = p.Origin
		if span.Missing = p.ResourceVersion; p.Item != nil {
			res.Items, res.Count = c.convert([]*wire.KeyValue{p.Item}), 1
		}
	case *wire.ObjectResponse:
	case *wire.Error:
		res.Err = code(p.Code)
		span.RetryAfter, span.Rest, span.Code = p.RetryAfter, p.Continue, p.Code
		if p.Code == wire.Unavailable {
			return model.Unknown
		}
		return model.Failed
	default:
		return model.Unknown
	}
	return model.Done
}

func (c *Client) takeRange(p *wire.RangeResponse, res *model.Result) {
	res.Revision, res.Items, res.Count, res.More = p.Revision, c.convert(p.Kvs), p.Count, p.More
}

func (c *Client) takeTxn(p *wire.TxnResponse, res *model.Result) {
	res.Revision, res.Succeeded = p.Revision, p.Succeeded
	res.Results = make([]model.Result, len(p.Responses))
	for i := range p.Responses {
		switch op := &p.Responses[i]; {
		case op.Range != nil:
			c.takeRange(op.Range, &res.Results[i])
			// The store's revision inside a transaction is the
			// transaction's own.
			res.Results[i].Revision = 0
		case op.DeleteRange != nil:
			res.Results[i].Deleted, res.Results[i].Prev = op.DeleteRange.Deleted, c.convert(op.DeleteRange.PrevKvs)
		case op.Put != nil:
			res.Results[i].Prev = c.previous(op.Put)
		case op.Txn != nil:
			c.takeTxn(op.Txn, &res.Results[i])
		}
	}
}

// previous is the item before a put, if there was one and the put has prevKV.
func (c *Client) previous(p *wire.PutResponse) []*model.Item {
	if p.PrevKv == nil {
		return nil
	}
	return c.convert([]*wire.KeyValue{p.PrevKv})
}

// convert copies key-values into the client's own memory. When that has to
// grow, items handed out before stay where they are.
func (c *Client) convert(kvs []*wire.KeyValue) []*model.Item {
	if len(kvs) == 0 {
		return nil
	}
	start := len(c.lists)
	for _, kv := range kvs {
		c.items = append(c.items, Item(kv))
		c.lists = append(c.lists, &c.items[len(c.items)-1])
	}
	return c.lists[start:len(c.lists):len(c.lists)]
}

// Item is a key-value as the judges know it.
func Item(kv *wire.KeyValue) model.Item {
	return model.Item{
		Key: kv.Key, Value: kv.Value,
		CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease,
	}
}

func code(c wire.Code) model.Code {
	switch c {
	case wire.ErrCompacted:
		return model.Compacted
	case wire.ErrFutureRev:
		return model.Future
	case wire.TooLargeResourceVersion:
		return model.TimedOut
	case wire.TooManyRequests:
		return model.TooManyRequests
	case wire.Unavailable:
		return model.Unavailable
	case wire.KeyExists, wire.KeyNotFound, wire.Conflict, wire.Forbidden:
		return model.Forbidden
	default:
		return model.Invalid
	}
}

func (c *Client) TimerName(sim.Timer) string { return "next " + strconv.Itoa(c.next) }

func (c *Client) Clone() sim.Node {
	d := *c
	d.operations = append([]model.Operation(nil), c.operations...)
	d.requests = append([]sim.Payload(nil), c.requests...)
	d.spans = append([]Span(nil), c.spans...)
	// Results and items are never changed once recorded, but the arrays behind
	// them would be appended to twice.
	d.results = nil
	d.items = nil
	d.lists = nil
	return &d
}

// Fingerprint implements sim.Fingerprinter. The history is part of it: verdicts
// depend on all of it.
func (c *Client) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, c) }

// Behaviour implements sim.Recorder. A step that names the newest revision that the client
// has seen depends on the record, and so does one that Next gave.
func (c *Client) Behaviour(d sim.Digest) sim.Digest {
	if c.decides {
		d = d.Fold(c.history())
	}
	if c.next < len(c.program) && c.program[c.next].SinceSeen != nil {
		d = d.Int(c.seen())
	}
	if c.next < len(c.program) && c.program[c.next].SinceOwn != nil {
		if own := c.own(c.program[c.next].OwnKey); own != nil {
			d = own.Digest(d)
		}
	}
	return sim.FoldCells(d, c, cellRecord)
}

func (c *Client) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	plan := sim.NewDigest.Int(int64(c.next))
	if c.draw != nil {
		plan = plan.Fold(c.drawn)
	}
	visit(cellPlan, 0, plan)
	if c.page != nil {
		visit(cellPage, 0, c.page.Payload.Digest(sim.NewDigest))
	}
	open := sim.NewDigest.Bool(c.waiting).Int(int64(c.await))
	if c.waiting {
		// How many pages the client still requests depends on the request.
		open = c.asked.Payload.Digest(open).Int(int64(c.asked.Pages))
		if c.chunks != nil {
			open = c.chunks.Digest(open)
		}
	}
	visit(cellOpen, 0, open)
	visit(cellRecord, 0, c.history())
}

func (c *Client) history() sim.Digest {
	d := sim.NewDigest
	for i := range c.operations {
		op := &c.operations[i]
		d = d.Word(uint64(op.Outcome))
		if c.decides {
			d = d.Int(int64(c.spans[i].Call))
		}
		if op.Result == nil {
			continue
		}
		if c.decides {
			d = d.Bool(op.Result.Succeeded)
			for k := range op.Result.Results {
				for _, it := range op.Result.Results[k].Items {
					d = d.Word(it.Digest())
				}
			}
		}
		d = d.Int(op.Result.Revision)
		if l := op.Result.Lease; l != nil {
			d = d.Int(l.ID).Int(l.TTL).Int(int64(len(l.Keys)))
		}
		for _, it := range op.Result.Items {
			d = d.Word(it.Digest())
		}
	}
	return d
}

// The cells of client nodes. All have index 0.
var (
	// cellPlan is how far a client is in its plan, and how many attempts are left.
	cellPlan = sim.NewCell("workload: plan")
	// cellPage is the next page of a list, while there is one to request.
	cellPage = sim.NewCell("workload: next page")
	// cellOpen is the request or the stream that is open.
	cellOpen = sim.NewCell("workload: open request")
	// cellPosition is the resourceVersion from which a watch goes on.
	cellPosition = sim.NewCell("workload: resourceVersion to go on from")
	// cellRecord is what properties look at. For a client of etcd's watch protocol an
	// item is a watch: see recordOf.
	cellRecord = sim.NewCell("workload: record")
)

// Answer puts an answer of etcd in the words of histories, for a client that is no node of this package.
func Answer(p sim.Payload, res *model.Result) model.Outcome {
	var c Client
	return c.take(p, res, new(Span))
}
