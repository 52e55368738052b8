package informers

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// step is what an informer asks for in one request.
type step uint8

const (
	// readiness: whether the API server is ready.
	readiness step = iota
	// listFirst and listNext are pages of a LIST.
	listFirst
	listNext
	// streamList is a WatchList, watch a WATCH of what changes.
	streamList
	watch
	// comparison is the LIST of the consistency detector.
	comparison
)

func stepOf(x *informer.Exchange) step {
	switch p := x.Request.(type) {
	case *wire.ListRequest:
		switch {
		case p.Match == wire.MatchExact:
			return comparison
		case p.Continue != "":
			return listNext
		}
		return listFirst
	case *wire.WatchRequest:
		if p.SendInitialEvents == wire.SendInitialEventsTrue {
			return streamList
		}
		return watch
	}
	return readiness
}

// begins reports whether a request is the first one of a list or stream of everything.
func (s step) begins() bool { return s == listFirst || s == streamList }

// flow is where an informer is in Reflector.ListAndWatch, as its requests tell it.
type flow struct {
	informer *testbed.Informer
	all      []informer.Exchange
	// i is the number of the request that is looked at, last the one before it that is
	// not of the detector; nil if it is the first of its process.
	i    int
	last *informer.Exchange
	// began is when last was sent for the first time.
	began sim.Time
	// newest: last asks for the newest state, at once after a refusal of another LIST.
	newest bool
	// version is the newest resourceVersion that the process was sent: of a complete
	// list, or behind it; Unset before. listed is that of the list under way.
	version, listed int64
	// unavailable: a server has refused that version, and it is not named again before a
	// list is complete (isLastSyncResourceVersionUnavailable).
	unavailable bool
}

func newFlow(n *testbed.Informer) *flow {
	return &flow{informer: n, all: n.Exchanges(), i: -1, version: wire.Unset, listed: wire.Unset}
}

// next goes on to the next request. It reports false behind the last.
func (f *flow) next() bool {
	if f.i >= 0 {
		f.take(f.at())
	}
	f.i++
	if f.i == len(f.all) {
		return false
	}
	if f.i > 0 && f.at().Process != f.all[f.i-1].Process {
		f.last, f.version, f.listed, f.unavailable = nil, wire.Unset, wire.Unset, false
	}
	f.unavailable = f.unavailable || f.last != nil && !f.again() && refusesVersion(f.last)
	return true
}

// at is the request that is looked at.
func (f *flow) at() *informer.Exchange { return &f.all[f.i] }

// take notes what came of a request.
func (f *flow) take(x *informer.Exchange) {
	switch stepOf(x) {
	case comparison:
		return
	case listFirst, listNext:
		if x.End == informer.Answered {
			if stepOf(x) == listFirst {
				f.listed = x.Version
			}
			if x.Complete {
				f.version, f.unavailable = f.listed, false
			}
		}
	case streamList:
		if x.Complete {
			f.version, f.unavailable = x.Version, false
		}
	case watch:
		if x.Events > 0 {
			f.version = x.Version
		}
	}
	if f.last == nil || x.Request != f.last.Request {
		f.began = x.Sent
		f.newest = f.last != nil && stepOf(f.last) == listFirst && gone(f.last.Err) && f.last.Over == x.Sent
	}
	f.last = x
}

// again reports whether the request is the one before it, sent again below the
// Reflector.
func (f *flow) again() bool { return f.last != nil && f.at().Request == f.last.Request }

// refusesVersion reports whether a list or stream of everything was refused because of
// the resourceVersion that it names. The next page of a list names none: it is listed
// again in one piece.
func refusesVersion(x *informer.Exchange) bool {
	switch stepOf(x) {
	case listFirst:
		return gone(x.Err)
	case listNext:
		return x.Err != nil && x.Err.Code == wire.TooLargeResourceVersion
	case streamList:
		return !x.Complete && gone(x.Err)
	}
	return false
}

// gone reports whether a refusal says that the resourceVersion is of no use.
func gone(err *wire.Error) bool {
	return err != nil && (err.Code == wire.ErrCompacted || err.Code == wire.TooLargeResourceVersion)
}

// busy reports whether a refusal says nothing but that the server is busy.
func busy(err *wire.Error) bool { return err != nil && err.Code == wire.TooManyRequests }

// veryShort is client-go's VeryShortWatchError: the watch before the request ended
// within a second, refusals included, without an event. Without a clock it may have been
// as short.
func (f *flow) veryShort(w *sim.World) bool {
	x := f.last
	return x.Err == nil && x.Events == 0 && (w.Mode() == sim.Untimed || x.Over.Sub(f.began) < time.Second)
}

// watched reports whether an exchange had come as far as a watch of what changes.
func watched(x *informer.Exchange) bool {
	return stepOf(x) == watch || stepOf(x) == streamList && x.Complete
}

// flowPast is where each informer is behind its last request.
type flowPast struct{ system *testbed.System }

// Digest implements testbed.Past.
func (p flowPast) Digest(d sim.Digest) sim.Digest {
	for _, n := range p.system.Informers() {
		f := newFlow(n)
		for f.next() {
		}
		d = f.digest(d)
	}
	return d
}

// digest is what later requests are held against, behind the last one. What comes of that
// one, if it is still open, takes the place of what has come of it so far.
func (f *flow) digest(d sim.Digest) sim.Digest {
	d = d.Int(f.version).Int(f.listed).Bool(f.unavailable).Bool(f.newest)
	if n := len(f.all); n > 0 {
		d = d.Int(int64(f.informer.Record().Restarts - f.all[n-1].Process))
	}
	if x := f.last; x != nil {
		d = x.Request.Digest(d).Word(uint64(x.End)).Bool(x.Events > 0).Int(x.Version).Bool(x.Complete)
		if x.Err != nil {
			d = d.Word(uint64(x.Err.Code))
		}
	}
	return d
}
