package workload

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What clients note while a run is observed.
var (
	operationBegan = sim.NewNote1[operation]("workload.OperationBegan", "asks: %s")
	operationEnded = sim.NewNote1[outcome]("workload.OperationEnded", "is answered: %s")

	listAsked     = sim.NewNote1[*wire.ListRequest]("workload.listAsked", "asks: %s")
	listAnswered  = sim.NewNote1[reply]("workload.listAnswered", "is answered: %s")
	listAbandoned = sim.NewNote1[sim.Duration]("workload.listAbandoned", "gives up its LIST after %s")

	watchBegan       = sim.NewNote2[int64, *wire.WatchRequest]("workload.watchBegan", "watches from resourceVersion %r on")
	listWatchBegan   = sim.NewNote2[int64, *wire.WatchRequest]("workload.listWatchBegan", "asks: %[2]s")
	watchEstablished = sim.NewNote0("workload.watchEstablished", "is told that its watch is established")
	eventReceived    = sim.NewNote1[event]("workload.eventReceived", "is sent %s")
	// watchOver: the cache has ended the watch, and said nothing of why.
	watchOver = sim.NewNote0("workload.watchOver", "sees its watch end without an error")

	// What goes to etcd and comes from there by its watch protocol.
	etcdAsked    = sim.NewNote1[etcdRequest]("workload.etcdAsked", "%s")
	etcdAnswered = sim.NewNote1[etcdResponse]("workload.etcdAnswered", "is sent: %s")
)

// operation is a request of a client: a note is about the key that it writes.
type operation struct{ sim.Payload }

func (o operation) About() (of sim.About) {
	switch p := o.Payload.(type) {
	case *wire.PutRequest:
		of.Key = p.Key
	case *wire.DeleteRangeRequest:
		of.Key = p.Key
	case *wire.CreateRequest:
		of.Key = p.Key
	case *wire.GuaranteedUpdateRequest:
		of.Key = p.Key
	case *wire.DeleteRequest:
		of.Key = p.Key
	}
	return of
}

// reply is one to a client, or an error in place of it, in words.
type reply struct{ of sim.Payload }

// outcome is the answer to an operation: a note is about its revision.
type outcome struct{ reply }

func (o outcome) About() sim.About {
	switch p := o.of.(type) {
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

// maxObjects is how many objects of a list a note shows.
const maxObjects = 5

func (r reply) String() string {
	l, ok := r.of.(*wire.ListResponse)
	if !ok {
		if rev, found := strings.CutPrefix(r.of.Label(), "rev "); found {
			return "revision " + rev
		}
		return r.of.Label()
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

// event is one of a watch: a note is about its revision and its key.
type event struct{ *wire.WatchEvent }

func (e event) About() sim.About {
	about := sim.About{Revision: e.ResourceVersion}
	if e.Item != nil {
		about.Key = e.Item.Key
	}
	return about
}

type etcdRequest struct{ sim.Payload }

// Label has the verb with it.
func (r etcdRequest) Label() string {
	if c, ok := r.Payload.(*wire.WatchCreateRequest); ok && c.StartRevision == 0 {
		return "asks for a watch of " + c.Key + " from now on"
	}
	return "asks: " + r.Payload.Label()
}

// etcdResponse is a message of etcd, or the end of the stream: a note is about its first event, or else its revision.
type etcdResponse struct{ sim.Payload }

// Label says for which watch it is.
func (r etcdResponse) Label() string {
	p, ok := r.Payload.(*wire.WatchResponse)
	switch {
	case !ok:
		return r.Payload.Label()
	case p.WatchID == wire.InvalidWatchID && (p.Created || p.Canceled):
		return p.Label() + ", with watch ID -1"
	case p.WatchID == wire.InvalidWatchID:
		return p.Label() + ", for all watches"
	}
	return p.Label() + ", for watch " + strconv.FormatInt(p.WatchID, 10)
}

func (r etcdResponse) About() sim.About {
	p, ok := r.Payload.(*wire.WatchResponse)
	switch {
	case !ok:
		return sim.About{}
	case len(p.Events) > 0:
		return sim.About{Revision: p.Events[0].Kv.ModRevision, Key: p.Events[0].Kv.Key}
	}
	return sim.About{Revision: p.Revision}
}
