package testbed

import (
	"cmp"
	"iter"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Operation is one of a client of the history, with all that the client recorded of it.
type Operation struct {
	*model.Operation
	Client *workload.Client
	// Place is that of the client in System.Clients, Number counts the client's operations.
	Place, Number int
	Span          *workload.Span
	// Message is what was asked for.
	Message sim.Payload
}

// Violate notes that an operation violates a property. The format begins with the name of the client.
func (o *Operation) Violate(all *Tally, label, format string, args ...any) {
	all.Violatef(label, Concern{Client: o.Client.Name(), Call: o.Call}, format, append([]any{o.Client.Name()}, args...)...)
}

// OperationsOf are those of one client, in their order. Each is valid until the next.
func (s *System) OperationsOf(client int) iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		c, o := s.clients.history.nodes[client], new(Operation)
		ops, spans, messages := c.Operations(), c.Spans(), c.Requests()
		for i := range ops {
			if *o = (Operation{&ops[i], c, client, i, &spans[i], messages[i]}); !yield(o) {
				return
			}
		}
	}
}

// Operations are those of all clients of the history, client by client.
func (s *System) Operations() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for i := range s.clients.history.nodes {
			for o := range s.OperationsOf(i) {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// Watch is one of a client of caches, whichever kind of client that is.
type Watch struct {
	// ListStream has what came. The request of a watcher is as far there as a judge needs it.
	*workload.ListStream
	Client string
	Part   Part
	// Node is the client.
	Node interface{ Fingerprint(d sim.Digest) sim.Digest }
	// Place is that of the client among the watchers, the list watchers and those that draw their
	// watches, one behind the other; Number counts the client's watches.
	Place, Number int
	// Last: it is the last one of its client. Open: it is, and has not ended. Stopped: its client takes nothing more.
	Last, Open, Stopped bool
	// Listed: the watch begins with what the client has listed.
	Listed bool
	// Values is what the values of the objects look like that it selects.
	Values model.ValuePattern
}

// Failed is the error that ended the watch, nil if there was none.
func (w *Watch) Failed() *wire.Error {
	if n := len(w.Events); n > 0 && w.Events[n-1].Type == wire.Failed {
		return w.Events[n-1].Err
	}
	return nil
}

// Watchers are the parts of clients that watch caches.
var Watchers = []Part{WatcherNode, ListWatcherNode, DrawnWatcherNode}

// AwaitsEnd reports whether its initial events have not ended yet.
func (w *Watch) AwaitsEnd() bool { return w.IsList() && w.End < 0 }

// Changes are the events behind the initial ones, if there are any, and the resourceVersion behind which they begin.
func (w *Watch) Changes() (after int64, events []*wire.WatchEvent) {
	if w.IsList() && w.End >= 0 {
		return w.Events[w.End].ResourceVersion, w.Events[w.End+1:]
	}
	return w.Request.ResourceVersion, w.Events
}

// Watches are those of clients of these parts, client by client, of all that watch caches if none is given.
func (s *System) Watches(of ...Part) iter.Seq[*Watch] {
	if of == nil {
		of = Watchers
	}
	return func(yield func(*Watch) bool) {
		for _, part := range of {
			for i := range s.parts(part) {
				for n := range s.watches(part, i) {
					if !yield(s.watch(part, i, n)) {
						return
					}
				}
			}
		}
	}
}

// LastWatch is that of a client, nil if it has none or is of another part.
func (s *System) LastWatch(of Role) *Watch {
	if n := s.watches(of.Part, of.Place); n > 0 {
		return s.watch(of.Part, of.Place, n-1)
	}
	return nil
}

// watches is how many a client has.
func (s *System) watches(part Part, i int) int {
	switch part {
	case WatcherNode:
		return len(s.clients.watchers.nodes[i].Streams())
	case ListWatcherNode:
		return len(s.clients.listWatchers.nodes[i].Streams())
	case DrawnWatcherNode:
		return len(s.clients.drawnWatchers.nodes[i].Streams())
	}
	return 0
}

// watch is the n-th one of a client.
func (s *System) watch(part Part, i, n int) *Watch {
	w := Watch{Part: part, Place: i, Number: n, Last: n == s.watches(part, i)-1}
	switch part {
	case WatcherNode:
		c := s.clients.watchers.nodes[i]
		st := &c.Streams()[n]
		w.Client, w.Node, w.Open, w.Stopped, w.Listed, w.Values = c.Name(), c, w.Last && c.Watching(), c.HasStopped(), st.Listed, c.Values()
		w.ListStream = &workload.ListStream{
			Request: &wire.WatchRequest{Prefix: c.Prefix(), ResourceVersion: st.From, AllowBookmarks: true},
			To:      c.To(), Events: st.Events, End: -1, HungUp: st.HungUp,
		}
		return &w
	case ListWatcherNode:
		c := s.clients.listWatchers.nodes[i]
		w.Client, w.Node, w.ListStream = c.Name(), c, &c.Streams()[n]
		w.Place += len(s.clients.watchers.nodes)
		w.Open = w.Last && !w.Closed
	default:
		c := s.clients.drawnWatchers.nodes[i]
		w.Client, w.Node, w.ListStream = c.Name(), c, &c.Streams()[n]
		w.Place += len(s.clients.watchers.nodes) + len(s.clients.listWatchers.nodes)
		w.Open = w.Last && c.Watching()
	}
	w.Listed, w.Values = w.IsList(), workload.Values(w.Request.Selector)
	return &w
}

// Capable are the caches of a system whose nodes can do something.
func Capable[T any](s *System) iter.Seq2[*Cache, T] {
	return func(yield func(*Cache, T) bool) {
		for _, c := range s.caches {
			if can, ok := c.Node.(T); ok && !yield(c, can) {
				return
			}
		}
	}
}

// Extremes are the least and the greatest value that the API servers of caches have in a run, in which
// they may be replaced.
func Extremes[T cmp.Ordered](caches []*Cache, of func(*Server) T) (least, most T) {
	first := true
	for _, c := range caches {
		for _, server := range c.servers {
			own := of(server)
			if first {
				least, most, first = own, own, false
			}
			least, most = min(least, own), max(most, own)
		}
	}
	return least, most
}

// AnyServer reports whether something is so of an API server that caches may have in a run.
func AnyServer(caches []*Cache, is func(*Server) bool) bool {
	for _, c := range caches {
		for _, server := range c.servers {
			if is(server) {
				return true
			}
		}
	}
	return false
}
