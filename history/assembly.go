package history

import (
	"fmt"
	"sort"

	"github.com/watchbed/watchbed/model"
)

// Assembly puts a history together from operations that come in any order. A place says
// where in the input an operation stands; what its number means is the reader's business.
type Assembly struct {
	// History has the operations in the order in which they were added, until Finish.
	History *model.History
	// clients and watchers are the places of names.
	clients, watchers map[string]int
	places            []int64
	same              *interned
	// Limit is how many operations there may be, beyond the place of one too many.
	Limit  int
	beyond int64
	// Place writes a place. It is that of a line unless a reader sets it.
	Place func(place int64) string
}

// NewAssembly is that of a fresh etcd, empty at revision 1.
func NewAssembly() *Assembly {
	return &Assembly{
		History: &model.History{Initial: model.Initial{Revision: 1}},
		clients: map[string]int{}, watchers: map[string]int{}, same: newInterned(), Limit: MaxOperations,
		Place: func(line int64) string { return fmt.Sprintf("line %d", line) },
	}
}

// Add takes an operation of a client. It keeps one of each key, item and read.
func (a *Assembly) Add(client string, op model.Operation, place int64) {
	if len(a.History.Operations) >= a.Limit {
		if a.beyond == 0 {
			a.beyond = place
		}
		return
	}
	index, known := a.clients[client]
	if !known {
		index = len(a.History.Clients)
		a.clients[client] = index
		a.History.Clients = append(a.History.Clients, client)
	}
	op.Client = index
	op.Request = a.same.request(op.Request)
	a.same.result(op.Result)
	a.History.Operations = append(a.History.Operations, op)
	a.places = append(a.places, place)
}

// AddWatch takes a stream of a client that watches, and refuses what no judge could make
// sense of.
func (a *Assembly) AddWatch(client string, s model.WatchStream) error {
	if err := checkWatchRequest(client, &s.Request); err != nil {
		return err
	}
	for i := range s.Responses {
		if err := checkWatchResponse(&s.Responses[i]); err != nil {
			return err
		}
	}
	at, known := a.watchers[client]
	if !known {
		at = len(a.History.Watchers)
		a.watchers[client] = at
		a.History.Watchers = append(a.History.Watchers, model.Watcher{Client: client})
	}
	a.History.Watchers[at].Streams = append(a.History.Watchers[at].Streams, s)
	return nil
}

// Finish brings the operations into the order of their calls, and refuses what no judge
// could make sense of. The error begins with the place.
func (a *Assembly) Finish() (*model.History, error) {
	h := a.History
	if a.beyond != 0 {
		return nil, fmt.Errorf("%s: more than %d operations: split the history, or record a shorter run", a.Place(a.beyond), a.Limit)
	}
	sort.Stable(byCall{h.Operations, a.places})
	if err := checkHistory(h, func(i int) string { return a.Place(a.places[i]) }); err != nil {
		return nil, err
	}
	return h, nil
}

// byCall keeps the places beside the operations that it sorts.
type byCall struct {
	operations []model.Operation
	places     []int64
}

func (b byCall) Len() int           { return len(b.operations) }
func (b byCall) Less(i, j int) bool { return b.operations[i].Call < b.operations[j].Call }
func (b byCall) Swap(i, j int) {
	b.operations[i], b.operations[j] = b.operations[j], b.operations[i]
	b.places[i], b.places[j] = b.places[j], b.places[i]
}
