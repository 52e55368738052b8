package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// A store that was filled before is filled as a new one is, whatever it was filled with and
// whatever has changed since. Most objects of a list are those that etcd began with; the memory
// of the others is used again in the next run, as etcd does it. Some lists are in no order.
func TestFillingAgainIsFillingAnew(t *testing.T) {
	fields := Fields{{Name: "value", Value: func(kv *wire.KeyValue) string { return kv.Value }, Indexed: true}}
	turned, counted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		number := func(most int) int { return rapid.IntRange(0, most).Draw(t, "number") }
		cfg := Config{Prefix: "/k", Fields: fields}
		initial := &wire.Initial{}
		for i := range number(4 * leastFilling) {
			initial.Kvs = append(initial.Kvs, &wire.KeyValue{Key: fmt.Sprintf("/k%03d", i), Value: "x"})
		}
		initial.Kvs = append(initial.Kvs, &wire.KeyValue{Key: "/l", Value: "of another prefix"})
		began := sim.NewDigest
		for _, kv := range initial.Kvs {
			began = kv.Digest(began)
		}
		var made []*wire.KeyValue
		object := func() *wire.KeyValue {
			made = append(made, &wire.KeyValue{Key: fmt.Sprintf("/k%03d", number(300)), Value: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "value")})
			return made[len(made)-1]
		}
		s := &Store{}
		s.Reset(cfg)
		list := slices.Clone(initial.Kvs[:len(initial.Kvs)-1])
		for range 1 + number(6) {
			for range number(3) * number(8) {
				at := number(len(list))
				switch number(2) {
				case 0:
					list = slices.Insert(list, at, object())
				case 1:
					list = slices.Delete(list, at, min(len(list), at+number(2)))
				}
			}
			if number(3) > 0 {
				slices.SortStableFunc(list, compareKeys)
			}
			s.fill(nil, list, initial)
			fresh := &Store{}
			fresh.Reset(cfg)
			fresh.fill(nil, list, nil)
			require.Equal(t, contents(fresh.objects.tree), contents(s.objects.tree))
			require.Equal(t, contents(fresh.indices[0].objects), contents(s.indices[0].objects))
			if s.filling != nil && s.turnInto(nil, list) {
				turned++
			}
			for range number(5) {
				comes, goes := object(), object()
				s.changes.note(comes.Key)
				s.changes.note(goes.Key)
				s.insert(nil, comes)
				s.erase(nil, goes)
			}
			if v := (View{objects: s.objects, changes: &s.changes, resource: "/k"}); v.Counts() {
				prefix, from, n := "/k"+rapid.SampledFrom([]string{"", "1", "12"}).Draw(t, "prefix"), object().Key, 0
				if number(2) == 0 {
					from = ""
				}
				v.Ascend(prefix, from, func(*wire.KeyValue) bool { n++; return true })
				require.Equal(t, n, v.Count(prefix, from))
				counted++
			}
			if number(2) == 0 {
				s.Reset(cfg)
				list = slices.Clone(initial.Kvs[:len(initial.Kvs)-1])
				for _, kv := range made {
					*kv = wire.KeyValue{Key: fmt.Sprintf("/k%03d", number(300)), Value: "of the next run"}
				}
			}
		}
		now := sim.NewDigest
		for _, kv := range initial.Kvs {
			now = kv.Digest(now)
		}
		require.Equal(t, began, now)
		if f := s.filling; f != nil {
			require.Equal(t, initial.Kvs[:len(initial.Kvs)-1], contents(f.objects.tree))
			require.Equal(t, len(initial.Kvs)-1, f.indices[0].objects.Len())
		}
	})
	require.Positive(t, turned, "no list was turned into another")
	require.Positive(t, counted)
}

func compareKeys(a, b *wire.KeyValue) int {
	switch {
	case a.Key < b.Key:
		return -1
	case a.Key > b.Key:
		return 1
	}
	return 0
}

func contents[T any](tree state.BTree[T]) (all []T) {
	tree.Ascend(func(item T) bool {
		all = append(all, item)
		return true
	})
	return all
}
