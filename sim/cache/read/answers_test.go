package read

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/wire"
)

func objects(n int, value string) (all []*wire.KeyValue) {
	for i := range n {
		all = append(all, &wire.KeyValue{Key: fmt.Sprintf("/p/%06d", i), Value: value})
	}
	return all
}

// Later answers do not change an answer.
func TestAnswersKeepWhatTheyHad(t *testing.T) {
	var m answers
	type answer struct {
		list *wire.ListResponse
		want []*wire.KeyValue
	}
	var all []answer
	for i := range 200 {
		want := objects(i*7%90, fmt.Sprint(i))
		m.look.begin(i % 5)
		for _, kv := range want {
			require.True(t, m.look.at(kv))
		}
		all = append(all, answer{m.list(wire.ListResponse{ResourceVersion: int64(i), Items: m.look.taken()}), want})
	}
	for i, a := range all {
		require.EqualValues(t, i, a.list.ResourceVersion)
		require.Len(t, a.list.Items, len(a.want))
		for j, kv := range a.list.Items {
			require.Same(t, a.want[j], kv)
		}
	}
}

// A long list has memory of its own: in a block it would keep its neighbours.
func TestALongListHasItsOwnMemory(t *testing.T) {
	var m answers
	long := objects(1000, "")
	list := m.list(wire.ListResponse{ResourceVersion: 1, Items: long})
	require.Same(t, &long[0], &list.Items[0])
	require.NotSame(t, list, m.list(wire.ListResponse{ResourceVersion: 2, Items: long[:1]}))
}
