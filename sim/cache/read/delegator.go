// Package read (unstable) is how a watch cache answers LIST and GET: upstream's CacheDelegator
// with the waits of watchCache (KEP-2340).
//
//	Delegator   all reads of one cache
//	Read        one LIST or GET, or the wait of a watch or write
//
// list.go has the life of a LIST from its arrival to its answer: the request to etcd, the wait (waitUntilFreshLocked),
// and the answer from the store or a snapshot. The answer from etcd is in etcd.go.
//
// To two options another module may add a value: Freshnesses and Timeouts are seams.
//
// The package must never import sim/cache: what it works with of the cache is in Parts.
package read

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Parts are those of the cache that reads work with.
type Parts struct {
	Ready     *Ready
	Guard     *guard.Guard
	Flow      *flowcontrol.Level
	Store     *store.Store
	Requester *progress.Requester
	Checks    *check.Housekeeping
}

// Config is what one delegator is made of.
type Config struct {
	Options
	Limits
	// Accumulate is the timer of reads that share one question for etcd's revision,
	// Kept that of the pages that are kept.
	Accumulate, Kept sim.Timer
	// Numbers returns the task and the timer of a read.
	Numbers func(read int) (sim.Task, sim.Timer)
	// Prefix that the keys of all objects have, and Fields by which they can be
	// selected.
	Prefix string
	Fields store.Fields
	Shards request.Shards
	// KV is the node that takes requests to etcd.
	KV sim.NodeID

	Parts
}

// Delegator is upstream's CacheDelegator: it answers each LIST and GET from the
// cache, or lets etcd answer it.
type Delegator struct {
	cfg       Config
	freshness Freshener
	// reads are by their numbers.
	reads state.Places[Read] `cell:"cache: numbers of reads"`
	remembered

	// revisionRequest is the question for etcd's current revision.
	revisionRequest *wire.RangeRequest
	answers         answers
	// key is what the store is searched for.
	key wire.KeyValue
}

// remembered is what the delegator knows beside its reads. But for the first it is for some designs only.
type remembered struct {
	// waiting is the number of reads that wait, woken ones included.
	waiting  state.Var[int]      `cell:"cache: waiting reads"`
	notified state.Var[notified] `cell:"cache: last progress notification"`
	// slow: the last consistent read waited long.
	slow state.Var[bool] `cell:"cache: slow"`
	// lastReader and lastWatch are the revisions that etcd answered last.
	lastReader state.Var[int64] `cell:"cache: revision of the last reader"`
	lastWatch  state.Var[int64] `cell:"cache: revision of the last watch"`
	// delegated is how many lists are with etcd, gathered how many reads are to share the next question.
	delegated state.Var[int] `cell:"cache: lists with etcd"`
	gathered  state.Var[int] `cell:"cache: gathered reads"`
	// stuck: an event waits for the lock.
	stuck state.Var[bool] `cell:"cache: lock"`
	// kept are the rests of lists, the oldest first.
	kept     state.Var[[]rest]   `cell:"cache: kept pages"`
	measured state.Var[measured] `cell:"cache: measured memory"`
}

var layout = state.Of[Delegator]()

// Reset makes the delegator that of a new process, and keeps its memory.
func (d *Delegator) Reset(cfg Config) {
	if d.revisionRequest == nil || d.cfg.CurrentRevision != cfg.CurrentRevision || d.cfg.Prefix != cfg.Prefix {
		d.revisionRequest = cfg.CurrentRevision.request(cfg.Prefix)
	}
	d.cfg, d.freshness = cfg, Freshnesses.Of(cfg.Freshness)
	layout.Name(d, 0)
	layout.Clear(d)
}

// Bypassed reports whether etcd answers every LIST and GET, so that no client
// needs the cache for reads.
func (d *Delegator) Bypassed() bool { return d.freshness.Bypasses }

// Waiting is the number of reads that wait for the cache to be fresh, between two
// steps.
func (d *Delegator) Waiting() int { return *d.waiting.Value() }

// Unanswered is the number of reads that have a place, between two steps. A watch
// or write that waits for the cache to be fresh has one.
func (d *Delegator) Unanswered() int { return d.reads.Len() }

// Left is a read that has a place: the client and its request.
type Left struct {
	From    sim.NodeID
	Request sim.Payload
}

// FirstLeft is the first of the reads that Unanswered counts, between two steps; zero if there is none.
func (d *Delegator) FirstLeft() Left {
	for r := range d.reads.Used() {
		return Left{r.from, r.request}
	}
	return Left{}
}

// Requests is the number of LISTs and GETs that are not answered yet, between two steps.
func (d *Delegator) Requests() int {
	return arena.Count(d.reads.All(), func(r *Read) bool { return r.list != nil || r.get != nil })
}

// Serves reports whether a LIST or GET that came on a connection is not answered yet.
func (d *Delegator) Serves(env *sim.Env, conn sim.Conn) bool {
	return slices.ContainsFunc(d.reads.Look(env), func(r *Read) bool { return r.state != free && r.conn == conn })
}

// Places is the number of places for reads, with the free ones.
func (d *Delegator) Places() int { return len(d.reads.All()) }

// KeptPages is how many rests of lists are kept.
func (d *Delegator) KeptPages() int { return len(*d.kept.Value()) }

// ObjectPrefix is the prefix of the objects that a LIST or WATCH means.
func (d *Delegator) ObjectPrefix(prefix string) string {
	if d.cfg.OpenPrefixes {
		return prefix
	}
	return store.PreparePrefix(prefix)
}

// Read returns a read by its number.
func (d *Delegator) Read(number int) *Read { return d.reads.At(number) }

// DeclareWaits declares that the step depends on the reads that wait.
func (d *Delegator) DeclareWaits(env *sim.Env) {
	for _, r := range d.reads.All() {
		if r.countsForProgress {
			r.wait.Read(env)
		}
	}
}

// Readyz answers a ReadyzRequest, now or later. Where no read needs the cache, the
// API server is ready without it.
func (d *Delegator) Readyz(env *sim.Env, conn sim.Conn) {
	if d.cfg.Ready.IsSet(env) || d.Bypassed() {
		env.Send(conn, &readyzOK)
		return
	}
	d.cfg.Ready.Ask(env, conn)
}

// Replaced is called when a new cache takes the place of this one. Upstream lets
// requests come to their end first; here the unanswered requests are
// refused. What is in memory is forgotten with Reset.
func (d *Delegator) Replaced(env *sim.Env) {
	for _, r := range d.reads.All() {
		env.Disable(r.task)
		env.Disarm(r.timer)
		if r.state == free {
			continue
		}
		env.Close(r.call)
		if r.waiter == nil {
			env.Send(r.conn, unavailable)
			d.cfg.Flow.Finished(env, r.conn)
		}
	}
}

// CloneTo copies the delegator to that of another cache, whose parts are given; own is the waiter there for one of
// this cache.
func (d *Delegator) CloneTo(c *Delegator, parts Parts, own func(Waiter) Waiter) {
	layout.CloneTo(c, d)
	c.cfg.Parts = parts
	// The blocks that answers come from have one writer only.
	c.answers = answers{}
	for _, r := range c.reads.All() {
		r.d = c
		if r.waiter != nil {
			r.waiter = own(r.waiter)
		}
	}
}

// Cells visits the cells of the reads.
func (d *Delegator) Cells(visit sim.CellVisitor) { layout.Cells(d, visit) }

// Conns visits the connections of reads, by place.
func (d *Delegator) Conns(visit func(sim.Conn)) { layout.Conns(d, visit) }

// Relate adds to a fingerprint what depends on reads and on the requester: how far
// the proofs are from coming.
func (d *Delegator) Relate(h sim.Digest) sim.Digest {
	for r := range d.reads.Used() {
		if r.proof != 0 {
			h = h.Int(int64(r.number)).Int(d.cfg.Requester.Distance(r.proof))
		}
	}
	return h
}

// Show shows the reads that wait for the cache to get as far as etcd was.
func (d *Delegator) Show(visit sim.PartVisitor) {
	var waits []sim.Entry
	for _, r := range d.reads.All() {
		if r.Waits() {
			waits = append(waits, sim.Entry{Text: r.label() + " for " + strconv.FormatInt(r.wanted, 10)})
		}
	}
	visit("waiting reads", waits...)
}

// Ready says whether the cache may be used: from the first Replace of a
// ListAndWatch until that ListAndWatch ends.
type Ready struct {
	now state.Var[readiness] `cell:"cache: ready"`
	// asking are the clients that wait to hear that the cache is ready.
	asking state.Var[[]sim.Conn] `cell:"cache: questions for readyz"`
}

type readiness struct {
	ok      bool
	changed sim.Time
	// generation counts how often the cache became ready: what began in one
	// generation must not end in the next.
	generation int `cell:"-"`
}

var readyLayout = state.Of[Ready]()

// Reset makes it that of a new cache, which began at a time. With a new process the clients that wait have gone.
func (r *Ready) Reset(at sim.Time, process bool) {
	asking := *r.asking.Value()
	if process {
		asking = asking[:0]
	}
	readyLayout.Reset(r, 0, Ready{})
	r.now.Value().changed, *r.asking.Value() = at, asking
}

// IsSet reports whether the cache may be used.
func (r *Ready) IsSet(env *sim.Env) bool { return r.now.Read(env).ok }

// IsIn reports whether the cache may be used, and is in a generation.
func (r *Ready) IsIn(env *sim.Env, generation int) bool {
	return r.IsSet(env) && r.Generation() == generation
}

// OK is IsSet, between two steps; Generation that of now, and Asking the number of clients that wait.
func (r *Ready) OK() bool        { return r.now.Value().ok }
func (r *Ready) Generation() int { return r.now.Value().generation }
func (r *Ready) Asking() int     { return len(*r.asking.Value()) }

// Set says that the cache may be used, and answers the clients that have asked.
func (r *Ready) Set(env *sim.Env) {
	*r.now.Change(env) = readiness{true, env.Now(), r.Generation() + 1}
	asking := r.asking.Change(env)
	for _, conn := range *asking {
		env.Send(conn, &readyzOK)
	}
	*asking = (*asking)[:0]
}

// End says that it may not be used any more.
func (r *Ready) End(env *sim.Env) {
	if now := r.now.Change(env); now.ok {
		now.ok, now.changed = false, env.Now()
	}
}

// Ask answers a question for readyz when the cache is ready.
func (r *Ready) Ask(env *sim.Env, conn sim.Conn) {
	asking := r.asking.Change(env)
	*asking = append(*asking, conn)
}

var readyzOK wire.ReadyzResponse

// Refusal is the 429 of a cache that is not ready. The client shall come back
// after e^(0.06 * seconds of downtime) seconds, at most 30 (KEP-4568).
func (r *Ready) Refusal(env *sim.Env) *wire.Error {
	down := env.Now().Sub(r.now.Read(env).changed).Milliseconds()
	i := 0
	for i < len(retryAfterSteps) && down >= retryAfterSteps[i] {
		i++
	}
	return notReady[i]
}

// Clone returns a copy that goes its own way.
func (r *Ready) Clone() Ready { return *readyLayout.Clone(r) }

// Cells visits the cells.
func (r *Ready) Cells(visit sim.CellVisitor) { readyLayout.Cells(r, visit) }

// retryAfterSteps[i] is the downtime, in milliseconds, from which on the answer
// is i+2 seconds: ln(i+2)/0.06. A table, because math.Exp is not the same to
// the last bit on every machine, and a run must be.
var retryAfterSteps = [29]int64{
	11553, 18311, 23105, 26824, 29863, 32432, 34658, 36621, 38377, 39965,
	41416, 42750, 43985, 45135, 46210, 47221, 48173, 49074, 49929, 50743,
	51518, 52259, 52968, 53648, 54302, 54931, 55537, 56122, 56687,
}

var notReady = func() (all [len(retryAfterSteps) + 1]*wire.Error) {
	for i := range all {
		all[i] = &wire.Error{
			Code: wire.TooManyRequests, RetryAfter: i + 1,
			Message: "storage is (re)initializing: retry after " + strconv.Itoa(i+1) + " s",
		}
	}
	return all
}()

// measured is the last measurement of the memory of answers (KEP-3157, "Alternatives", 2): the objects in answers that
// clients are still being sent, and when it was. To measure is expensive (runtime.ReadMemStats stops the world), so it
// is done once in Limits.MeasurePeriod at most, and what is answered meanwhile is not seen.
type measured struct {
	objects int
	at      sim.Time
	begun   bool
}

// answersExceedMemory reports whether a LIST has to be refused now. A measurement depends on what the world has
// delivered, which no cell of a node says.
func (d *Delegator) answersExceedMemory(env *sim.Env) bool {
	if d.cfg.AnswersLimit == 0 {
		return false
	}
	m := d.measured.Read(env)
	if !m.begun || env.Elapsed(m.at, d.cfg.MeasurePeriod) {
		env.TouchAll()
		env.Cover(memoryMeasured)
		*m = measured{0, env.Now(), true}
		env.UnderWay(func(first *sim.Message, _ int) {
			if answer, ok := first.Payload.(*wire.ListResponse); ok {
				m.objects += len(answer.Items)
			}
		})
	}
	if m.objects < d.cfg.AnswersLimit {
		return false
	}
	env.Cover(memoryExceeded)
	return true
}

var memoryExhausted = &wire.Error{Code: wire.TooManyRequests, Message: "too much memory is in use for answers: retry after 1 s", RetryAfter: 1}

var (
	memoryMeasured = sim.NewCoveragePoint("cache: memory of answers measured")
	memoryExceeded = sim.NewCoveragePoint("cache: list refused because the memory of answers is above its limit")
)

type readState uint8

const (
	free readState = iota
	// gathered: waits for the others that share its question for etcd's revision.
	gathered
	// asking: etcd was asked for its revision (getCurrentRV).
	asking
	// waiting: in cond.Wait, until a broadcast.
	waiting
	// delegated: etcd was asked the client's own question.
	delegated
)

// Read is one LIST or GET that could not be answered on the spot, or the wait of a watch
// or write until the cache is fresh enough for it.
type Read struct {
	d *Delegator
	// number is the read's number in the delegator, task and timer are the read's
	// own.
	number int
	task   sim.Task
	timer  sim.Timer
	wait
	turn
}

// turn is whether a waiting read is out of cond.Wait, and not yet at the lock again, and whether its time has passed
// since it began to wait.
type turn struct {
	state.Cell[turn] `cell:"cache: a read's turn"`
	woken, expired   bool
}

// wait is what a read asks for and waits for, and since when.
type wait struct {
	state.Cell[wait] `cell:"cache: a read's wait"`
	state            readState
	// request is the client's: exactly one of list, get and waiter is set.
	request sim.Payload
	list    *wire.ListRequest `cell:"-"`
	get     *wire.GetRequest  `cell:"-"`
	waiter  Waiter            `cell:"-"`
	// of is the waiter's number, counted from 1.
	of int
	// conn is the client's, call the one to etcd.
	conn, call sim.Conn
	from       sim.NodeID `cell:"-"`
	cause      sim.Cause  `cell:"-"`
	// arrived is when the request came; it decides nothing but RequestTimeout.
	arrived sim.Time
	// consistent: the read must not be older than itself.
	consistent bool
	// unlimited: the limit of the list does not count.
	unlimited bool
	// exact is the one resourceVersion that the list is to be of, 0 if there is
	// none, and start the key that it begins at, for pages after the first.
	exact int64
	start string
	// future: etcd has not reached exact, and is asked for its revision once more, for the error.
	future bool
	// wanted is the resourceVersion that the cache has to reach, began when the
	// read began to wait for it.
	wanted int64
	began  sim.Time
	// proof is the progress that proves the cache fresh in place of a
	// resourceVersion, 0 if there is none. How far that is counts (Relate).
	proof int64 `cell:"-"`
	// countsForProgress: progress is asked for while this read waits.
	countsForProgress bool
	// origin says in whose name etcd answers, if it does.
	origin wire.Origin
	// selection is what was selected so far of a delegated list with a selector.
	selection *selection
}

// newRead finds room for a read.
func (d *Delegator) newRead(env *sim.Env, from sim.NodeID, cause sim.Cause, request sim.Payload) *Read {
	r := d.reads.Free(env, func(n int) Read {
		task, timer := d.cfg.Numbers(n)
		return Read{d: d, number: n, task: task, timer: timer}
	})
	r.wait.Change(env)
	r.turn.Change(env)
	r.arrived, r.from, r.cause, r.request = env.Now(), from, cause, request
	return r
}

func (r *Read) Free() bool { return r.state == free }

// end frees the place of a read that is over.
func (r *Read) end(env *sim.Env) {
	if r.isWithEtcd() {
		*r.d.delegated.Change(env)--
	}
	r.d.reads.Forget(env, r)
}

// finish answers the client and ends the read.
func (r *Read) finish(env *sim.Env, answer sim.Payload) {
	r.wait.Read(env)
	r.measure(env, answer)
	d, waiter, list, conn := r.d, r.waiter, r.list, r.conn
	r.end(env)
	if waiter != nil {
		waiter.Refused(env, answer.(*wire.Error))
		return
	}
	env.Send(conn, answer)
	d.cfg.Flow.Answered(env, conn)
	if list != nil {
		d.cfg.Checks.Compare(env, list, answer)
	}
}

// Refuse answers the client with an error and ends the read.
func (r *Read) Refuse(env *sim.Env, err *wire.Error) { r.finish(env, err) }

// String names the read's task and timer. A timer that was left behind has a name as well.
func (r *Read) String() string { return "read " + strconv.Itoa(r.number) + ": " + r.label() }

func (r *Read) label() string {
	if r.request == nil {
		return "over"
	}
	return r.request.Label()
}

// Waits reports whether the read waits for the cache to be fresh.
func (r *Read) Waits() bool { return r.state == waiting }

// isWithEtcd: the read is a list that etcd answers.
func (r *Read) isWithEtcd() bool { return r.state == delegated && r.list != nil }

// Get is CacheDelegator.Get. A GET that gives no resourceVersion is etcd's in
// every release, and the cache's where KEP-6404 is followed.
func (d *Delegator) Get(env *sim.Env, m *sim.Message, req *wire.GetRequest) {
	if refused := d.resource().ValidateGet(req); refused != nil {
		env.Cover(getInvalid)
		env.Send(m.Conn, refused)
		return
	}
	r := d.newRead(env, m.From, m.Cause, req)
	r.conn, r.get = m.Conn, req
	switch {
	case d.Bypassed() || req.ResourceVersion == wire.Unset && (!d.cfg.GetsFromCache || r.mayNotRelyOnProgress(env)):
		env.Cover(getDelegated)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Ready.IsSet(env):
		env.Cover(getDelegatedUnready)
		r.AskEtcd(env, wire.FromEtcd)
	case req.ResourceVersion == wire.Unset:
		r.consistent = true
		r.ReadConsistently(env)
	default:
		r.WaitUntilFresh(env, req.ResourceVersion)
	}
}

func (r *Read) serveGet(env *sim.Env) {
	s := r.d.cfg.Store
	if env.Noting() {
		env.Note(r.answering(s.Version(), 0))
	}
	r.finish(env, r.d.answers.get(r.object(env, r.get.Key), s.ResourceVersion(env), wire.FromCache))
}

// object is that of a key as it is now, nil if there is none.
func (r *Read) object(env *sim.Env, key string) *wire.KeyValue {
	r.d.key.Key = key
	return r.d.cfg.Store.Get(env, &r.d.key)
}

// Waiter is a watch that waits to begin, or a write that waits for a state, as a read does: until it is known
// what it has to wait for, and until the cache has got there.
type Waiter interface {
	// Number is the waiter's own among those of its kind, Request the client's request, and From that client.
	Number() int
	Request() sim.Payload
	From() sim.NodeID
	// RevisionKnown has etcd's revision; the waiter may then call LetWait.
	// It returns false if there is nothing to wait for. Fresh means that the
	// cache has reached it, Refused that the wait was too long, or that etcd
	// did not answer with its revision.
	RevisionKnown(env *sim.Env, revision int64) bool
	Fresh(env *sim.Env)
	Refused(env *sim.Env, err *wire.Error)
}

// AskRevision asks etcd for its revision on behalf of a waiter.
func (d *Delegator) AskRevision(env *sim.Env, w Waiter) { d.newWait(env, w).askRevision(env) }

// LetWait makes a waiter wait until the cache is at a resourceVersion: at
// most for a time, or as long as a read if that is 0.
func (d *Delegator) LetWait(env *sim.Env, w Waiter, resourceVersion int64, patience sim.Duration) {
	r := d.readOf(w)
	if r == nil {
		r = d.newWait(env, w)
	}
	if patience == 0 {
		patience = d.cfg.BlockTimeout
	}
	r.waitUntilFresh(env, resourceVersion, patience)
}

// Abandon ends the question to etcd of a watch whose client has gone. It returns
// false if the watch waits for the cache, which does not end before its time:
// waitUntilFreshLocked never looks at the context.
func (d *Delegator) Abandon(env *sim.Env, w Waiter) bool {
	r := d.readOf(w)
	if r == nil {
		return true
	}
	r.wait.Read(env)
	if r.state != asking {
		return false
	}
	env.Close(r.call)
	r.end(env)
	return true
}

func (d *Delegator) newWait(env *sim.Env, w Waiter) *Read {
	r := d.newRead(env, w.From(), env.Cause(), w.Request())
	r.waiter, r.of = w, w.Number()+1
	return r
}

// readOf is the read of a waiter, nil if it has none.
func (d *Delegator) readOf(w Waiter) *Read {
	for _, r := range d.reads.All() {
		if r.waiter == w {
			return r
		}
	}
	return nil
}

// isWatch: the read is a watch that waits to begin.
func (r *Read) isWatch() bool {
	_, watch := r.request.(*wire.WatchRequest)
	return watch
}

// answers makes the answers to LIST and GET. An answer never changes and lives as long as its
// client keeps it, so its memory is never used twice; but it is taken from blocks,
// because a campaign makes millions.
type answers struct {
	lists []wire.ListResponse
	gets  []wire.GetResponse
	look  look
}

const answerBlock = 64

// list makes the answer to a LIST.
func (a *answers) list(answer wire.ListResponse) *wire.ListResponse {
	if len(answer.Items) > itemBlock {
		// In a block it would keep its neighbours' items, and they its own.
		one := answer
		return &one
	}
	return inBlock(&a.lists, answer)
}

// get makes the answer to a GET from a state of a resourceVersion; item is nil if that has no
// such object.
func (a *answers) get(item *wire.KeyValue, resourceVersion int64, o wire.Origin) *wire.GetResponse {
	answer := wire.GetResponse{Item: item, Origin: o}
	if item == nil {
		answer.ResourceVersion = resourceVersion
	}
	return inBlock(&a.gets, answer)
}

func inBlock[T any](block *[]T, x T) *T {
	if len(*block) == cap(*block) {
		*block = make([]T, 0, answerBlock)
	}
	*block = append(*block, x)
	return &(*block)[len(*block)-1]
}

// look goes through the objects of a state, and takes the objects of a list.
type look struct {
	// selects: some are left out by the selector, of which the index has already looked at this value of a field.
	selects      bool
	fields       store.Fields
	selector     wire.Selector
	field, value string
	// limit is how many objects are taken, 0 for any number. ends: one object that follows them is enough.
	limit int64
	ends  bool

	// The objects taken are those of the block from start on.
	block []*wire.KeyValue
	start int
	// looked counts all objects, after the objects that came when limit were taken. trailed: an object came after the
	// last taken one.
	looked, after int64
	trailed       bool
	// at is (*look).see, made once in place of once for each list.
	at func(*wire.KeyValue) bool
}

const itemBlock = 512

// begin begins a list that will probably have room objects.
func (l *look) begin(room int) {
	if cap(l.block)-len(l.block) < room {
		l.block = make([]*wire.KeyValue, 0, max(room, itemBlock))
	}
	if l.at == nil {
		l.at = l.see
	}
	*l = look{block: l.block, start: len(l.block), at: l.at}
}

// taken are the objects that were taken.
func (l *look) taken() []*wire.KeyValue { return l.block[l.start:len(l.block):len(l.block)] }

// see takes an object if it is selected, and returns false if it need see no more: whether the selector selects the
// first object behind a full page, or any other, does not matter for the page's token (Cacher.GetList:
// hasMoreListItems).
func (l *look) see(kv *wire.KeyValue) bool {
	l.looked++
	switch {
	case l.limit > 0 && int64(len(l.block)-l.start) == l.limit:
		l.after++
		l.trailed = true
		return !l.ends
	case l.selects && !l.fields.SelectsWith(l.selector, kv, l.field, l.value):
		l.trailed = true
		return true
	}
	if len(l.block) == cap(l.block) {
		// Only this list moves on: the lists before it in the block stay there.
		own := l.block[l.start:]
		l.block = append(make([]*wire.KeyValue, 0, max(2*len(own), itemBlock)), own...)
		l.start = 0
	}
	l.block, l.trailed = append(l.block, kv), false
	return true
}
