package linearizability

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// TestPast: writer puts a at revision 2, then at 3; reader lists before that, and waits for
// the answer to a list that it asked for between the two.
func TestPast(t *testing.T) {
	const writer, reader = 0, 1
	put := &model.Request{Kind: model.Put, Key: "a"}
	list := &model.Request{Kind: model.List, Key: "a", End: "b"}
	h := &model.History{
		Clients: []string{"writer", "reader"}, Initial: model.Initial{Revision: 1},
		Operations: []model.Operation{
			{Client: reader, Call: 1, Return: 2, Request: list, Result: &model.Result{Revision: 1}},
			{Client: writer, Call: 3, Return: 4, Request: put, Result: &model.Result{Revision: 2}},
			{Client: reader, Call: 5, Return: math.MaxInt64, Request: list, Outcome: model.Unknown},
			{Client: writer, Call: 6, Return: 7, Request: put, Result: &model.Result{Revision: 3}},
		},
	}
	writes := []Kept{{writer, 0, 2}, {writer, 1, 3}}
	// The open list is the reader's second operation; what is called later has to show revision 3.
	realTime := append(writes[:2:2], Kept{reader, 1, 2}, Kept{-1, -1, 3})
	for property, want := range map[Property][]Kept{
		Linearizable:     realTime,
		LinearizableData: realTime,
		Sequential:       append(writes[:2:2], Kept{writer, -1, 3}),
		ReadYourWrites:   {{writer, -1, 3}},
		Monotonic:        nil,
		NotOlderThan:     nil,
		Exact:            nil,
		Pages:            nil,
	} {
		var w Witness
		w.Load(h, nil)
		require.Equal(t, want, w.Past(nil, property), property)
	}
}
