package workload

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// OperationBegan: a client sends a request. Number is its place in the client's
// Operations.
type OperationBegan struct {
	Number  int
	Request sim.Payload
}

func (n OperationBegan) Text(*sim.World) string { return "asks: " + n.Request.Label() }
func (n OperationBegan) About() sim.About       { return sim.About{Key: writtenKey(n.Request)} }

// writtenKey is the key that a request writes, empty if it is no such request.
func writtenKey(p sim.Payload) string {
	switch p := p.(type) {
	case *wire.PutRequest:
		return p.Key
	case *wire.DeleteRangeRequest:
		return p.Key
	case *wire.CreateRequest:
		return p.Key
	case *wire.GuaranteedUpdateRequest:
		return p.Key
	case *wire.DeleteRequest:
		return p.Key
	}
	return ""
}

// OperationEnded: a client has the answer to a request, or an error in place of
// it. Number is the operation's place in the client's Operations.
type OperationEnded struct {
	Number int
	Answer sim.Payload
}

func (n OperationEnded) Text(*sim.World) string { return "is answered: " + answerText(n.Answer) }

// About implements sim.Subject.
func (n OperationEnded) About() sim.About {
	switch p := n.Answer.(type) {
	case *wire.ListResponse:
		return sim.About{Revision: p.ResourceVersion}
	case *wire.RangeResponse:
		return sim.About{Revision: p.Revision}
	case *wire.PutResponse:
		return sim.About{Revision: p.Revision}
	case *wire.DeleteRangeResponse:
		return sim.About{Revision: p.Revision}
	case *wire.TxnResponse:
		return sim.About{Revision: p.Revision}
	case *wire.ObjectResponse:
		return sim.About{Revision: p.Item.ModRevision, Key: p.Item.Key}
	}
	return sim.About{}
}

// listAsked: a poller begins an attempt.
type listAsked struct{ request *wire.ListRequest }

func (n listAsked) Text(*sim.World) string { return "asks: " + n.request.Label() }

// listAnswered: the attempt of a poller has ended with an answer or a refusal.
type listAnswered struct{ answer sim.Payload }

func (n listAnswered) Text(*sim.World) string { return "is answered: " + answerText(n.answer) }

// listAbandoned: the poller closed the connection before an answer came.
type listAbandoned struct{ patience sim.Duration }

// Text implements sim.Note.
func (n listAbandoned) Text(*sim.World) string {
	return "gives up its LIST after " + n.patience.String()
}

// maxObjects is how many objects of a list a note shows.
const maxObjects = 5

func answerText(p sim.Payload) string {
	l, ok := p.(*wire.ListResponse)
	if !ok {
		if rev, found := strings.CutPrefix(p.Label(), "rev "); found {
			return "revision " + rev
		}
		return p.Label()
	}
	s := "resourceVersion " + strconv.FormatInt(l.ResourceVersion, 10)
	if l.Origin != wire.FromCache {
		s += " (from " + l.Origin.String() + ")"
	}
	if l.Continue != "" {
		s += " (more follows)"
	}
	if len(l.Items) == 0 {
		return s + ", no objects"
	}
	for i, kv := range l.Items {
		separator := ", "
		if i == maxObjects {
			return s + ", and " + strconv.Itoa(len(l.Items)-i) + " more"
		}
		if i == 0 {
			separator = ": "
		}
		s += separator + kv.Key + "=" + kv.Value + " of revision " + strconv.FormatInt(kv.ModRevision, 10)
	}
	return s
}

// watchBegan: a watcher requests a watch that continues after a resourceVersion.
type watchBegan struct{ request *wire.WatchRequest }

func (n watchBegan) Text(*sim.World) string {
	return "watches from resourceVersion " + strconv.FormatInt(n.request.ResourceVersion, 10) + " on"
}

func (n watchBegan) About() sim.About { return sim.About{Revision: n.request.ResourceVersion} }

// listWatchBegan: a watcher requests a watch, with initial events or without.
type listWatchBegan struct{ request *wire.WatchRequest }

func (n listWatchBegan) Text(*sim.World) string { return "asks: " + n.request.Label() }

// watchEstablished: the answer to a watch begins.
type watchEstablished struct{}

func (watchEstablished) Text(*sim.World) string { return "is told that its watch is established" }

// eventReceived: an event or bookmark of a watch arrives.
type eventReceived struct{ event *wire.WatchEvent }

func (n eventReceived) Text(*sim.World) string { return "is sent " + n.event.Label() }

func (n eventReceived) About() sim.About {
	about := sim.About{Revision: n.event.ResourceVersion}
	if n.event.Item != nil {
		about.Key = n.event.Item.Key
	}
	return about
}

// watchOver: the cache has ended the watch, and said nothing of why.
type watchOver struct{}

func (watchOver) Text(*sim.World) string { return "sees its watch end without an error" }

// etcdAsked: a request goes out on a stream of etcd's watch protocol.
type etcdAsked struct{ request sim.Payload }

func (n etcdAsked) Text(*sim.World) string {
	if c, ok := n.request.(*wire.WatchCreateRequest); ok && c.StartRevision == 0 {
		return "asks for a watch of " + c.Key + " from now on"
	}
	return "asks: " + n.request.Label()
}

// etcdAnswered: a response of etcd's watch protocol arrives, or the stream ends.
type etcdAnswered struct{ answer sim.Payload }

func (n etcdAnswered) Text(*sim.World) string {
	r, ok := n.answer.(*wire.WatchResponse)
	switch {
	case !ok:
		return "is sent: " + n.answer.Label()
	case r.WatchID == wire.InvalidWatchID && (r.Created || r.Canceled):
		return "is sent: " + r.Label() + ", with watch ID -1"
	case r.WatchID == wire.InvalidWatchID:
		return "is sent: " + r.Label() + ", for all watches"
	}
	return "is sent: " + r.Label() + ", for watch " + strconv.FormatInt(r.WatchID, 10)
}

func (n etcdAnswered) About() sim.About {
	r, ok := n.answer.(*wire.WatchResponse)
	if !ok {
		return sim.About{}
	}
	about := sim.About{Revision: r.Revision}
	if len(r.Events) > 0 {
		about.Revision, about.Key = r.Events[0].Kv.ModRevision, r.Events[0].Kv.Key
	}
	return about
}
