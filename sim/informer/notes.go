package informer

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// serverChanged: the informer connects to another API server.
type serverChanged struct{ to sim.NodeID }

func (n serverChanged) Text(w *sim.World) string { return "connects to " + w.NodeName(n.to) }

// listSent: a LIST goes to an API server.
type listSent struct {
	to      sim.NodeID
	request *wire.ListRequest
}

func (n listSent) Text(w *sim.World) string {
	return "asks " + w.NodeName(n.to) + ": " + n.request.Label()
}

// pageSent: a LIST for the next page goes to an API server.
type pageSent struct{ listSent }

func noteOfList(to sim.NodeID, req *wire.ListRequest) sim.Note {
	n := listSent{to, req}
	if req.Continue != "" {
		return pageSent{n}
	}
	return n
}

// watchSent: a WATCH goes to an API server.
type watchSent struct {
	to      sim.NodeID
	request *wire.WatchRequest
}

func (n watchSent) Text(w *sim.World) string {
	return "asks " + w.NodeName(n.to) + ": " + n.request.Label()
}

// storeReplaced: the store holds the result of a LIST or WatchList.
type storeReplaced struct {
	objects int
	version int64
}

func (n storeReplaced) Text(*sim.World) string {
	objects := strconv.Itoa(n.objects) + " objects"
	if n.objects == 1 {
		objects = "1 object"
	}
	return "has " + objects + " of resourceVersion " + number(n.version)
}

func (n storeReplaced) About() sim.About { return sim.About{Revision: n.version} }

// eventTaken: an event or bookmark of the watch changes what the informer has.
type eventTaken struct{ event *wire.WatchEvent }

func (n eventTaken) Text(*sim.World) string { return "takes " + n.event.Label() }

func (n eventTaken) About() sim.About {
	about := sim.About{Revision: n.event.ResourceVersion}
	if n.event.Item != nil {
		about.Key = n.event.Item.Key
	}
	return about
}

// newestListed: the resourceVersion of a LIST was refused, so the next one asks
// for the newest state.
type newestListed struct{ err *wire.Error }

func (n newestListed) Text(*sim.World) string {
	return "is refused (" + n.err.Code.String() + ") and asks for the newest list"
}

// wholeListed: a page was refused, so all objects are asked for at once.
type wholeListed struct{ err *wire.Error }

func (n wholeListed) Text(*sim.World) string {
	return "is refused the next page (" + n.err.Code.String() + ") and lists in one piece"
}

// listRefused: a LIST ends with an error.
type listRefused struct{ err *wire.Error }

func (n listRefused) Text(*sim.World) string { return "cannot list: " + n.err.Code.String() }

// watchRefused: a watch ends with an error.
type watchRefused struct{ err *wire.Error }

func (n watchRefused) Text(*sim.World) string { return "is refused the watch: " + n.err.Code.String() }

// listFallback: a WatchList failed, and a LIST takes its place.
type listFallback struct{}

func (listFallback) Text(*sim.World) string { return "lists instead of streaming the list" }

// detectorPanics: the consistency detector has found a difference.
type detectorPanics struct{ version int64 }

func (n detectorPanics) Text(*sim.World) string {
	return "panics: the streamed list differs from the list of resourceVersion " + number(n.version)
}

func (n detectorPanics) About() sim.About { return sim.About{Revision: n.version} }

func number(n int64) string { return strconv.FormatInt(n, 10) }
