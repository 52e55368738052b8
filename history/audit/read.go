// Package audit (unstable) reads Kubernetes audit logs: an Event of audit.k8s.io/v1 a line, as an
// API server writes them, behind what grep or a collector of logs put in front of them; EventLists,
// as a webhook is sent them; and objects with events in them, as they are or as text (CloudWatch's
// "@message"). Lines and objects without an event are passed over.
//
// The stage ResponseComplete has it all: requestReceivedTimestamp is the call and
// stageTimestamp the return. They are readings of the clocks of API servers, in microseconds;
// where several servers write one log, their clocks must agree. A request that took effect
// did so within them. Other stages are passed over.
//
// What can be judged depends on the level of an event:
//
//   - Metadata has no objects: of writes neither the revision nor what was written, of reads
//     no answer. Only that a named object was not found is known.
//   - Request has what was sent, and not what was answered: no more can be judged than of
//     Metadata.
//   - RequestResponse has the answer: the resourceVersion of an object that was written or
//     read, and of a list, and those of its items.
//
// An object is known by its resourceVersion alone: an object looks different in each API
// version, and in part in a log that leaves managed fields out. A page behind the first
// is a read at the revision of its token, of what is behind the last object of the page that
// issued the token. Watches are not judged: a log has none of their events. A delete that is
// answered with the object may only have marked it, and counts as not recorded; so do writes
// of collections.
//
// A list with a selector is judged by its revision, by each object that it shows, and by each
// that it lacks although the labels, the name and the namespace that it had last in the log
// are selected: another writer must have changed that one meanwhile. It is in the history as
// reads of single keys. By other fields nothing is known to be missing: the log does not say
// where an object has them.
//
// The history is partial: controllers, other API servers and etcd's other clients write, too.
// All resources must come from one etcd: with --etcd-servers-overrides keep the events of one
// etcd only. Each request is a client of its own, as a user may do several things at once.
//
// Of a key that stands twice in one object the last one counts, as for an API server: a log has what
// clients sent, and they may send that.
//
// It must never import a judge.
package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// maxBytes is more than a line of watchbed's own format may take: an API server logs the
// answer to a LIST in one line, and a million small objects take 80 MB.
const maxBytes = 256 << 20

// Read reads an audit log. The notes say what cannot be judged. Every error begins with the
// number of the line at fault.
func Read(r io.Reader) (h *model.History, notes []string, err error) {
	l := &log{
		assembly: history.NewAssembly(), levels: map[string]int{}, made: map[string]bool{}, issued: map[string]start{},
		objects: objects{versions: map[string][]version{}, sets: map[string]labels.Set{}},
	}
	in := history.NewValues(r, maxBytes, "leave the line out, or log such requests at level Metadata")
	err = in.Each(func(object []byte, line int64) error {
		events := l.events
		err := in.Explain(l.take(object, line, 0))
		if l.events == events {
			l.eventless++
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if l.events == 0 {
		return nil, nil, errors.New(`no audit event: want objects with "kind" "Event" and "apiVersion" "audit.k8s.io/v1"`)
	}
	l.eventless += in.Passed
	h, err = l.finish()
	return h, l.notes(), err
}

type log struct {
	assembly *history.Assembly
	// events counts the audit events, eventless the lines and objects without one.
	events, eventless int64
	// writes are kept until it is known which of them made a revision.
	writes []write
	// levels counts requests that are not judged because of their level.
	levels map[string]int
	// nameless counts requests that are about no resource.
	nameless int
	// passed counts others that are not judged.
	passed int
	// issued has the prefixes and continue tokens of the pages so far.
	issued map[string]start
	// made are the revisions of keys that a write has made.
	made map[string]bool
	// selected are the lists with a selector: what they miss is found out at the end.
	selected []*selectedList
	objects  objects
}

// write is an answered one, which may have changed nothing.
type write struct {
	client    string
	operation model.Operation
	key       string
	revision  int64
	line      int64
	// idle: it was sent the resourceVersion that it was answered with.
	idle bool
}

// deepest is how deep within one another values are looked at.
const deepest = 10

// take takes the events in a JSON value: an EventList has items, and collectors of logs put events
// into objects of their own, as they are or as text.
func (l *log) take(value json.RawMessage, line int64, depth int) error {
	var parts []json.RawMessage
	switch {
	case depth > deepest:
	case value[0] == '{':
		var e event
		err := json.Unmarshal(value, &e)
		if e.Kind == "Event" && strings.HasPrefix(e.APIVersion, "audit.k8s.io/") {
			if l.events++; err != nil {
				return err
			}
			return l.event(&e, line)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(value, &members); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			parts = append(parts, members[name])
		}
	case value[0] == '[':
		if err := json.Unmarshal(value, &parts); err != nil {
			return err
		}
	case value[0] == '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		if from := strings.IndexByte(text, '{'); from >= 0 && json.Valid([]byte(text[from:])) {
			parts = append(parts, json.RawMessage(text[from:]))
		}
	}
	for _, part := range parts {
		if err := l.take(part, line, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (l *log) event(e *event, number int64) error {
	if counts, err := e.check(); err != nil || !counts {
		return err
	}
	if e.ObjectRef == nil || e.ObjectRef.Resource == "" {
		l.nameless++
		return nil
	}
	op := model.Operation{Call: e.RequestReceivedTimestamp.UnixMicro(), Return: e.StageTimestamp.UnixMicro()}
	// Within a microsecond, the return is still behind the call.
	op.Return = max(op.Return, op.Call+1)
	judged, err := l.request(e, op, number)
	if err == nil && !judged {
		if e.Level != "RequestResponse" {
			l.levels[e.Level]++
		} else {
			l.passed++
		}
	}
	return err
}

// request takes a request, and reports whether it can be judged.
func (l *log) request(e *event, op model.Operation, line int64) (bool, error) {
	ref := e.ObjectRef
	if ref.Subresource != "" && ref.Subresource != "status" && ref.Subresource != "finalize" {
		return false, nil
	}
	switch e.Verb {
	case "get":
		return l.get(e, op, line)
	case "list":
		return l.list(e, op, line)
	case "create", "update", "patch":
		return l.write(e, op, line)
	case "delete":
		return l.delete(e, op, line)
	}
	return false, nil
}

func (l *log) add(e *event, op model.Operation, line int64) { l.assembly.Add(client(e), op, line) }

func client(e *event) string {
	return fmt.Sprintf("%s, auditID %s", e.User.Username, e.AuditID)
}

// finish makes the history: of the writes that were answered with the same resourceVersion
// of an object, one made it, and the others changed nothing and read it. The one that was
// called first stands for it: if another one did it, both were under way then.
func (l *log) finish() (*model.History, error) {
	slices.SortStableFunc(l.writes, func(a, b write) int { return cmp.Compare(a.operation.Call, b.operation.Call) })
	for _, w := range l.writes {
		at := w.key + " " + strconv.FormatInt(w.revision, 10)
		if w.idle || l.made[at] {
			w.operation.Request = &model.Request{Kind: model.Get, Key: w.key}
			w.operation.Result = &model.Result{Items: []*model.Item{{Key: w.key, ModRevision: w.revision}}, Count: 1}
		}
		l.made[at] = l.made[at] || !w.idle
		l.assembly.Add(w.client, w.operation, w.line)
	}
	l.takeSelected()
	l.assembly.History.Partial = true
	h, err := l.assembly.Finish()
	var twice *history.OverlapError
	if errors.As(err, &twice) {
		// Each request is a client of its own.
		return nil, fmt.Errorf("%s: the request of %s is in the log twice (%s): leave out one", twice.Place, twice.Client, twice.Before)
	}
	return h, err
}

// takeSelected adds what the selected lists tell of single objects, and of each list its
// revision: as a read of a key that no object has.
func (l *log) takeSelected() {
	if len(l.selected) == 0 {
		return
	}
	for _, s := range l.selected {
		l.assembly.Add(s.client, s.read(s.resource, 0), s.line)
	}
	l.objects.look(l.selected)
	l.objects.reads(func(s *selectedList, key string, revision int64) {
		l.assembly.Add(s.name(key), s.read(key, revision), s.line)
	})
}

// notes say what cannot be judged.
func (l *log) notes() []string {
	out := []string{"an audit log has the requests of API servers only: other writers of etcd are not recorded, and objects are known by their resourceVersion alone"}
	for _, level := range [...]struct{ name, lacks string }{
		{"Metadata", "what was sent and what was answered"},
		{"Request", "what was answered"},
	} {
		if n := l.levels[level.name]; n > 0 {
			out = append(out, fmt.Sprintf("%s not judged: the level leaves out %s; RequestResponse has it", requests(n, " of level "+level.name), level.lacks))
		}
	}
	if l.eventless > 0 {
		out = append(out, fmt.Sprintf("lines or objects without an audit event: %d, passed over", l.eventless))
	}
	if l.nameless > 0 {
		out = append(out, requests(l.nameless, "")+" not judged: without an objectRef, such as discovery and health checks")
	}
	if l.passed > 0 {
		out = append(out, requests(l.passed, " of level RequestResponse")+" not judged: watches (an audit log has none of their events), graceful deletions, errors and the like")
	}
	return out
}

// requests counts requests of a kind, as the subject of a sentence.
func requests(n int, kind string) string {
	if n == 1 {
		return "1 request" + kind + " is"
	}
	return fmt.Sprintf("%d requests%s are", n, kind)
}

// freshness is what a read asks for with its resourceVersion. It reports whether that can be
// judged.
func freshness(r *model.Request, version, match string) bool {
	rev, err := strconv.ParseInt(version, 10, 64)
	switch {
	case version == "":
	case err != nil || rev < 0:
		return false
	case rev == 0:
		r.Freshness = model.Any
	case match == "Exact":
		r.Freshness, r.Revision = model.Exact, rev
	default:
		r.Freshness, r.Revision = model.NotOlderThan, rev
	}
	return !strings.EqualFold(match, "Exact") || r.Freshness == model.Exact
}
