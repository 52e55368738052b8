package workload

import (
	"slices"

	"github.com/watchbed/watchbed/sim/wire"
)

// Watch is a watch of a plan.
type Watch struct {
	*wire.WatchCreateRequest
	// ID is what etcd calls the watch, InvalidWatchID if it refuses it.
	ID int64
	// earlier is how many watches of the stream had the same id before.
	earlier int
	// cancel is which of the client's cancel requests ends the watch, -1 if none does.
	// CanceledBy is the place of that request in Later.
	cancel, CanceledBy int
	// Place is that of the create request in Creates, or in Later if Later is set.
	Place int
	Later bool
}

// WatchRules are what releases of etcd do otherwise with a create request.
type WatchRules struct {
	// RefusesNegative: start revisions below 0 are refused.
	RefusesNegative bool
	// CountsIDs: the id that a request names has no meaning.
	CountsIDs bool
}

// Watches are the watches of the plan in the order in which they are asked for. Their ids
// follow from the requests (watchStream.Watch): etcd carries out those of one stream one
// after the other, and a watch that a compaction ended keeps its id.
func (w *EtcdWatch) Watches(rules WatchRules) []Watch {
	ids := watchIDs{used: map[int64]int{}, WatchRules: rules}
	for i, c := range w.plan.Creates {
		ids.create(c, i, false)
	}
	for i, p := range w.plan.Later {
		switch p := p.(type) {
		case *wire.WatchCreateRequest:
			ids.create(p, i, true)
		case *wire.WatchCancelRequest:
			ids.cancel(p.WatchID, i)
		}
	}
	return ids.watches
}

// watchIDs gives ids to watches as etcd does.
type watchIDs struct {
	WatchRules
	watches []Watch
	// live are the places in watches of those that have their id.
	live    []int
	next    int64
	cancels int
	// used is how many watches have had an id.
	used map[int64]int
}

func (ids *watchIDs) create(c *wire.WatchCreateRequest, place int, later bool) {
	id := ids.pick(c)
	ids.watches = append(ids.watches, Watch{
		WatchCreateRequest: c, ID: id, earlier: ids.used[id], cancel: -1, CanceledBy: -1, Place: place, Later: later,
	})
	if id != wire.InvalidWatchID {
		ids.live = append(ids.live, len(ids.watches)-1)
		ids.used[id]++
	}
}

func (ids *watchIDs) cancel(id int64, place int) {
	if i := ids.find(id); i >= 0 {
		of := &ids.watches[ids.live[i]]
		of.cancel, of.CanceledBy = ids.cancels, place
		ids.live = slices.Delete(ids.live, i, i+1)
	}
	ids.cancels++
}

// find is the place in live of the watch with an id, -1 if there is none.
func (ids *watchIDs) find(id int64) int {
	return slices.IndexFunc(ids.live, func(i int) bool { return ids.watches[i].ID == id })
}

func (ids *watchIDs) pick(c *wire.WatchCreateRequest) int64 {
	empty := c.RangeEnd != "" && c.RangeEnd != "\x00" && c.Key >= c.RangeEnd
	names := c.WatchID != wire.AutoWatchID && !ids.CountsIDs
	taken := names && ids.find(c.WatchID) >= 0
	switch {
	case c.StartRevision < 0 && ids.RefusesNegative, empty, taken:
		return wire.InvalidWatchID
	case names:
		return c.WatchID
	}
	for ids.find(ids.next) >= 0 {
		ids.next++
	}
	ids.next++
	return ids.next - 1
}

// ResponsesTo is what etcd sent to a watch: what has its id, and from its Created
// response on what speaks for all watches of the stream. It ends where the client asked
// to cancel the watch: from then on etcd promises nothing for it, and progress for all
// watches of the stream does not include it.
func (w *EtcdWatch) ResponsesTo(watch Watch) []Response {
	from, to := w.lifeOf(watch)
	var all []Response
	created := false
	for k := from; k < to; k++ {
		r := &w.responses[k]
		own := r.WatchID == watch.ID && watch.ID != wire.InvalidWatchID
		// A Created response for all of them refuses a request.
		if own || created && r.WatchID == wire.InvalidWatchID && !r.Created {
			created = created || r.Created
			all = append(all, *r)
		}
	}
	return all
}

// lifeOf is the part of the responses in which an id means this watch. The first watch of
// an id has it from the beginning, so that an event before Created is noticed.
func (w *EtcdWatch) lifeOf(watch Watch) (from, to int) {
	created := -1
	for k := range w.responses {
		if r := &w.responses[k]; r.Created && r.WatchID == watch.ID {
			created++
			if created == watch.earlier && created > 0 {
				from = k
			}
			if created == watch.earlier+1 {
				return from, w.canceled(watch, k)
			}
		}
	}
	if created < watch.earlier && watch.earlier > 0 {
		return 0, 0
	}
	return from, w.canceled(watch, len(w.responses))
}

// canceled is where the client asked to cancel a watch, or to if it did not.
func (w *EtcdWatch) canceled(watch Watch, to int) int {
	if c := watch.cancel; c >= 0 && c < len(w.abandoned) {
		return min(to, w.abandoned[c])
	}
	return to
}

// HasLeft reports whether the client asked to cancel a watch.
func (w *EtcdWatch) HasLeft(watch Watch) bool {
	return watch.cancel >= 0 && watch.cancel < len(w.abandoned)
}
