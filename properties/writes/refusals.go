package writes

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Refusals holds each refusal of a write against the objects that etcd had while the write was
// under way. It is exercised by such refusals.
var Refusals = testbed.RegisterProperty(&testbed.Property{
	Name: "write-refusals", Kind: testbed.Safety,
	Promise: "A write through an API server is refused as a conflict, as forbidden, or because the object is there or is not, " +
		"only if etcd had such an object at some time between request and answer: no check of an old object is final.",
	Violated: "write refused for an old object",
	Labels: map[string]string{
		"already-exists": "creation refused without cause", "not-found": "object not found that is there",
		"conflict": "conflict with an old object", "forbidden": "old object forbids a deletion",
	},
	Weight:    8,
	Past:      pastOf,
	TimedPast: pastOf,
	Remembers: true,
	New:       judgeOf(lookAtRefusal),
})

func lookAtRefusal(w *write, all *testbed.Tally) {
	err, refused := w.answer.(*wire.Error)
	if !refused || !isAboutObject(err.Code) {
		return
	}
	all.Exercised++
	if !w.sometime(func(o *model.Item) bool { return w.refusal(o) == err.Code }) {
		all.Violate(strings.ReplaceAll(err.Code.String(), " ", "-"), &unjustified{w, err.Code})
	}
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

// unjustified is a refusal for which no object gave a reason.
type unjustified struct {
	*write
	code wire.Code
}

func (u *unjustified) String() string {
	objects := shown(u.at(u.from))
	for rev := u.from + 1; rev <= u.to; rev++ {
		if now := shown(u.at(rev)); !strings.HasSuffix(objects, now) {
			objects += ", then " + now
		}
	}
	return fmt.Sprintf("%s asked for %s and was refused: %v; meanwhile etcd had %s (revisions %d to %d)",
		u.client, u.request.Label(), u.code, objects, u.from, u.to)
}
