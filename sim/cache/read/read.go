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
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
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

// Free implements state.Placed.
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
