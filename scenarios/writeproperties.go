package scenarios

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// write is one of a client that was answered.
type write struct {
	client  string
	call    int64
	request sim.Payload
	answer  sim.Payload
	// from and to are etcd's revisions when it was asked for and when it was answered: it took
	// place at one of them, or in between.
	from, to int64
	// known is the newest revision at which a client was answered.
	known int64
	log   *model.Log
}

// writeJudge judges the writes of a run one by one.
type writeJudge struct {
	system   *testbed.System
	evidence *evidence.Recorder
	look     func(w *write, all *testbed.Tally)
}

func judgeOf(look func(w *write, all *testbed.Tally)) func(*testbed.System) testbed.Judge {
	return testbed.RecordedBy(func(s *testbed.System) *writeJudge { return &writeJudge{s, evidence.Of(s), look} }, (*writeJudge).judge)
}

func (j *writeJudge) judge(_ *sim.World, all *testbed.Tally) {
	known := j.known()
	for o := range j.system.Operations() {
		if at := j.evidence.Of(o); o.Span.Write != nil {
			j.look(&write{
				client: o.Client.Name(), call: o.Call, request: o.Message, answer: o.Span.Write,
				from: at.Asked.Revision, to: at.Answered.Revision, known: known, log: j.system.Truth().Log(),
			}, all)
		}
	}
}

// known is the newest revision of etcd at which a client was answered.
func (j *writeJudge) known() int64 {
	newest := int64(0)
	for i := range j.system.Clients() {
		for _, at := range j.evidence.Operations(i) {
			if at.Over {
				newest = max(newest, at.Answered.Revision)
			}
		}
	}
	return newest
}

// key is that of the object.
func (w *write) key() string {
	switch r := w.request.(type) {
	case *wire.CreateRequest:
		return r.Key
	case *wire.GuaranteedUpdateRequest:
		return r.Key
	case *wire.DeleteRequest:
		return r.Key
	}
	return ""
}

// at is the object at a revision, nil if there is none.
func (w *write) at(revision int64) *model.Item {
	s := w.log.At(revision)
	if s == nil {
		return nil
	}
	return s.Get(w.key())
}

// sometime reports whether something was so of the object while the write was under way.
func (w *write) sometime(so func(o *model.Item) bool) bool {
	for rev := w.from; rev <= w.to; rev++ {
		if so(w.at(rev)) {
			return true
		}
	}
	return false
}

// made reports whether a revision was made while the write was under way.
func (w *write) made(revision int64) bool { return w.from < revision && revision <= w.to }

// violate notes a violation; the text goes on behind the name of the client.
func (w *write) violate(all *testbed.Tally, label, format string, args ...any) {
	all.Violatef(label, testbed.Concern{Client: w.client, Call: w.call, Revision: w.to, Key: w.key()}, "%s "+format, append([]any{w.client}, args...)...)
}

func holds(o *model.Item, member string) bool { return slices.Contains(members(o), member) }

func members(o *model.Item) []string { return strings.Split(o.Value, wire.MemberSeparator) }

// shown is what there was of an object, in words.
func shown(o *model.Item) string {
	if o == nil {
		return "no such object"
	}
	return o.Key + "=" + o.Value
}

// WriteAnswers holds the object that a write was answered with against etcd's. It is exercised by such
// answers.
var WriteAnswers = testbed.RegisterProperty(&testbed.Property{
	Name: "write-answers", Kind: testbed.Safety, AfterRestore: true,
	Promise: "The object in the answer to a write through an API server is one that etcd had between request and answer, and " +
		"that the write has made, unless it had nothing to change; a deletion is answered the object that it has deleted, with the revision of the deletion.",
	Violated: "wrong answer to a write",
	Labels:   map[string]string{"not-created": "creation not made", "not-deleted": "deletion not made", "not-there": "object that is not there"},
	Weight:   7,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      judgeOf(lookAtAnswer),
})

func lookAtAnswer(w *write, all *testbed.Tally) {
	answer, done := w.answer.(*wire.ObjectResponse)
	if !done {
		return
	}
	all.Exercised++
	o, rev := answer.Item, answer.Item.ModRevision
	wrong := ""
	switch w.request.(type) {
	case *wire.CreateRequest:
		if !w.made(rev) || w.at(rev-1) != nil || !shows(o, w.at(rev)) {
			wrong = "not-created"
		}
	case *wire.DeleteRequest:
		deleted := w.at(rev - 1)
		if !w.made(rev) || w.at(rev) != nil || deleted == nil || deleted.Value != o.Value ||
			o.CreateRevision != 0 && o.CreateRevision != deleted.CreateRevision || o.Version != 0 && o.Version != deleted.Version {
			wrong = "not-deleted"
		}
	default:
		if !w.sometime(func(have *model.Item) bool { return shows(o, have) }) {
			wrong = "not-there"
		}
	}
	if wrong != "" {
		w.violate(all, wrong, "asked for %s and was answered %s; etcd had %s at revision %d, when that was asked, and %s at revision %d, when it was answered",
			w.request.Label(), w.answer.Label(), shown(w.at(w.from)), w.from, shown(w.at(w.to)), w.to)
	}
}

// shows reports whether an object is etcd's. Kubernetes tells clients of no revision but the
// resourceVersion.
func shows(o *wire.KeyValue, have *model.Item) bool {
	return have != nil && o.Key == have.Key && o.Value == have.Value && o.ModRevision == have.ModRevision &&
		(o.CreateRevision == 0 || o.CreateRevision == have.CreateRevision) && (o.Version == 0 || o.Version == have.Version)
}

// WritesInTime is exercised by answered writes through API servers in the liveness phase.
var WritesInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "writes-in-time", Kind: testbed.Liveness,
	Promise:  "In the liveness phase every write through an API server is answered within a bound that follows from the delays and the writes of other clients.",
	Violated: "write too slow",
	Weight:   6,
	New:      testbed.Recorded(writesInTime),
})

func writesInTime(s *testbed.System, w *sim.World, all *testbed.Tally) {
	bound := s.WriteBound()
	for o := range s.Operations() {
		write := write{client: o.Client.Name(), call: o.Call, request: o.Message}
		if write.key() == "" || o.Span.Phase != sim.Liveness {
			continue
		}
		until := w.Now()
		if o.Span.Answered {
			all.Exercised++
			until = o.Span.Return
		}
		if took := until.Sub(o.Span.Call); took > bound.Total {
			write.violate(all, "", "asked for %s at %v, and waited for %v; it should have been answered within %v (%s)",
				o.Message.Label(), o.Span.Call.Sub(0), took, bound.Total, bound.Derivation)
		}
	}
}

// NoLostUpdates follows what each update has added through the committed writes, as far as clients
// have been answered. It is exercised by each update that was answered with an object.
var NoLostUpdates = testbed.RegisterProperty(&testbed.Property{
	Name: "no-lost-updates", Kind: testbed.Safety, AfterRestore: true,
	Promise:  "What an update through an API server was told to have added to an object is there once, and stays until the object is deleted.",
	Violated: "update lost",
	Labels:   map[string]string{lost: "update lost", unwritten: "update never made", twice: "update made twice"},
	Weight:   9,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      judgeOf(lookForLostUpdate),
})

// The labels of a violation.
const (
	lost      = "lost"
	unwritten = "unwritten"
	twice     = "twice"
)

func lookForLostUpdate(w *write, all *testbed.Tally) {
	r, updates := w.request.(*wire.GuaranteedUpdateRequest)
	answer, done := w.answer.(*wire.ObjectResponse)
	if !updates || !done {
		return
	}
	all.Exercised++
	violate := func(label string, revision int64, o *model.Item) {
		w.violate(all, label, "was told that it has added %s: %s; at revision %d etcd has %s", r.Add, w.answer.Label(), revision, shown(o))
	}
	made := max(answer.Item.ModRevision, w.log.First())
	first := w.at(made)
	if first == nil || !holds(first, r.Add) {
		violate(unwritten, made, first)
		return
	}
	for rev := made; rev <= w.known; rev++ {
		o := w.at(rev)
		if o == nil || o.CreateRevision != first.CreateRevision {
			return
		}
		n := 0
		for _, m := range members(o) {
			if m == r.Add {
				n++
			}
		}
		switch {
		case n == 0:
			violate(lost, rev, o)
			return
		case n > 1:
			violate(twice, rev, o)
			return
		}
	}
}

// WritesAskOnce is upstream's origStateIsCurrent (storage/etcd3, GuaranteedUpdate and conditionalDelete): what etcd has
// said of the object needs no second look, also for an update that changes nothing. It is exercised by each question of
// a write.
var WritesAskOnce = testbed.RegisterProperty(&testbed.Property{
	Name: "writes-ask-once", Kind: testbed.Safety,
	Promise:  "A write through an API server asks etcd for its object once at most, and once more for each transaction that etcd has refused.",
	Violated: "write asks etcd again",
	Labels:   map[string]string{"again": "write asks etcd again"},
	New:      testbed.EachCache(asksOnce),
})

// asksOnce judges a cache whose writes had asked so often before the step.
func asksOnce(_ *testbed.System, _ *sim.World, c *testbed.Cache, before *int, all *testbed.Tally) {
	of, writes := c.Node.(interface {
		Writes(visit func(asked, conflicts int))
	})
	if !writes {
		return
	}
	sum := 0
	of.Writes(func(asked, conflicts int) {
		if sum += asked; asked > 1+conflicts {
			all.Violatef("again", testbed.Concern{Node: c.Name}, "a write through %s asks etcd for its object for the %d. time, and etcd has refused %s of it",
				c.Name, asked, sim.Some(conflicts, "transaction"))
		}
	})
	all.Exercised += max(0, sum-*before)
	*before = sum
}

// NotFoundVersions looks at the resourceVersion of the error that there is no such object. Only
// callers of the storage see it, such as a cache above it. It is exercised by such errors.
var NotFoundVersions = testbed.RegisterProperty(&testbed.Property{
	Name: "not-found-versions", Kind: testbed.Safety, AfterRestore: true,
	Promise:  "The error of a write that finds no object has the resourceVersion of a state without it, between request and answer.",
	Violated: "error of another state",
	Labels:   map[string]string{"version": "error of another state"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      judgeOf(lookAtNotFound),
})

func lookAtNotFound(w *write, all *testbed.Tally) {
	err, refused := w.answer.(*wire.Error)
	if !refused || err.Code != wire.KeyNotFound {
		return
	}
	all.Exercised++
	if rev := err.ResourceVersion; rev < w.from || rev > w.to || w.at(rev) != nil {
		w.violate(all, "version", "asked for %s and was told that there is no such object at resourceVersion %d; etcd was at %d when that was asked, and at %d when it was answered",
			w.request.Label(), rev, w.from, w.to)
	}
}

// Digest implements testbed.MonitorState. It is, for each write that is under way, what its object has been since it
// was asked for, and for each update that was answered, what must stay in the object. An answer is right or wrong by
// itself.
func (j *writeJudge) Digest(d sim.Digest) sim.Digest {
	log, known := j.system.Truth().Log(), j.known()
	for i, c := range j.system.Clients() {
		requests, spans := c.Requests(), c.Spans()
		if at := j.evidence.Open(i); at != nil {
			w := &write{request: requests[len(requests)-1], from: at.Asked.Revision, to: log.Revision(), log: log}
			d = w.seen(d.Bool(true))
		}
		for k := range spans {
			r, updates := requests[k].(*wire.GuaranteedUpdateRequest)
			answer, done := spans[k].Write.(*wire.ObjectResponse)
			if !updates || !done {
				continue
			}
			w := &write{request: r, log: log}
			made, now := w.at(answer.Item.ModRevision), w.at(known)
			if made != nil && now != nil && made.CreateRevision == now.CreateRevision {
				w.from, w.to = known, log.Revision()
				d = w.seen(d.Text(r.Add))
			}
		}
		d = d.Bool(false)
	}
	return d
}

// seen mixes in what the object has been while the write was under way.
func (w *write) seen(d sim.Digest) sim.Digest {
	if w.key() == "" {
		return d
	}
	for rev := w.from; rev <= w.to; rev++ {
		if o := w.at(rev); o != nil {
			d = d.Int(rev).Word(o.Digest())
		} else {
			d = d.Int(rev)
		}
	}
	return d
}

const internalError = "internal"

// WriteRefusals holds each refusal of a write against the objects that etcd had while the write was
// under way. It is exercised by such refusals.
var WriteRefusals = testbed.RegisterProperty(&testbed.Property{
	Name: "write-refusals", Kind: testbed.Safety, AfterRestore: true,
	Promise: "A write through an API server is refused as a conflict, as forbidden, or because the object is there or is not, " +
		"only if etcd had such an object at some time between request and answer: no check of an old object is final. No write ends with an internal error.",
	Violated: "write refused for an old object",
	Labels: map[string]string{
		"already-exists": "creation refused without cause", "not-found": "object not found that is there",
		"conflict": "conflict with an old object", "forbidden": "old object forbids a deletion", internalError: "internal error",
	},
	Weight:  8,
	Monitor: testbed.Monitor{Runs: testbed.EveryRun},
	New:     judgeOf(lookAtRefusal),
})

func lookAtRefusal(w *write, all *testbed.Tally) {
	err, refused := w.answer.(*wire.Error)
	if refused && err.Code == wire.Internal {
		all.Exercised++
		w.violate(all, internalError, "asked for %s and was answered an internal error: %s", w.request.Label(), err.Message)
		return
	}
	if !refused || !isAboutObject(err.Code) {
		return
	}
	all.Exercised++
	if w.sometime(func(o *model.Item) bool { return w.refusal(o) == err.Code }) {
		return
	}
	objects := shown(w.at(w.from))
	for rev := w.from + 1; rev <= w.to; rev++ {
		if now := shown(w.at(rev)); !strings.HasSuffix(objects, now) {
			objects += ", then " + now
		}
	}
	w.violate(all, strings.ReplaceAll(err.Code.String(), " ", "-"), "asked for %s and was refused: %v; meanwhile etcd had %s (revisions %d to %d)",
		w.request.Label(), err.Code, objects, w.from, w.to)
}

func isAboutObject(c wire.Code) bool {
	return c == wire.KeyExists || c == wire.KeyNotFound || c == wire.Conflict || c == wire.Forbidden
}

// refusal is why the write is not carried out on an object, 0 if it is.
func (w *write) refusal(o *model.Item) wire.Code {
	differs := func(required int64) bool {
		return required != 0 && (o == nil || o.ModRevision != required)
	}
	switch r := w.request.(type) {
	case *wire.CreateRequest:
		if o != nil {
			return wire.KeyExists
		}
	case *wire.GuaranteedUpdateRequest:
		switch {
		case o == nil && !r.IgnoreNotFound:
			return wire.KeyNotFound
		case differs(r.Precondition) || differs(r.Expected):
			return wire.Conflict
		}
	case *wire.DeleteRequest:
		switch {
		case o == nil:
			return wire.KeyNotFound
		case differs(r.Precondition):
			return wire.Conflict
		case r.Holding != "" && !holds(o, r.Holding):
			return wire.Forbidden
		}
	}
	return 0
}
