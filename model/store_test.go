package model

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStoreCountsLikeEtcd(t *testing.T) {
	s := NewStore(Initial{Revision: 1})
	put := func(key, value string) Result { return s.Apply(&Request{Kind: Put, Key: key, Value: value}) }

	require.Equal(t, Result{Revision: 2}, put("a", "1"))
	require.Equal(t, Result{Revision: 3}, put("a", "2"))
	require.Equal(t, &Item{Key: "a", Value: "2", CreateRevision: 2, ModRevision: 3, Version: 2}, s.Get("a"))

	require.Equal(t, Result{Revision: 3}, s.Apply(&Request{Kind: Delete, Key: "b"}), "deleting nothing takes no revision")
	put("b", "1")
	require.Equal(t, Result{Revision: 5, Deleted: 2}, s.Apply(&Request{Kind: Delete, Key: "a", End: "c"}), "one revision, however many keys")
	require.Zero(t, s.Len())

	put("a", "3")
	require.Equal(t, &Item{Key: "a", Value: "3", CreateRevision: 6, ModRevision: 6, Version: 1}, s.Get("a"), "a key begins again after its deletion")
}

func TestTransactions(t *testing.T) {
	s := NewStore(Initial{Revision: 1})
	create := &Request{
		Kind: Txn, Compare: []Compare{{Key: "a", Target: CompareMod, Op: Equal, Operand: 0}},
		Success: []Request{{Kind: Put, Key: "a", Value: "1"}, {Kind: Put, Key: "b", Value: "1"}},
		Failure: []Request{{Kind: Get, Key: "a"}},
	}
	require.Equal(t, Result{Revision: 2, Succeeded: true, Results: []Result{{}, {}}}, s.Apply(create))
	require.Equal(t, int64(2), s.Get("a").ModRevision)
	require.Equal(t, int64(2), s.Get("b").ModRevision)

	require.Equal(t, Result{Revision: 2, Results: []Result{{Items: []*Item{s.Get("a")}, Count: 1}}}, s.Apply(create), "a failed one takes no revision")
	require.Equal(t, Result{Revision: 2, Succeeded: true, Results: []Result{{}}},
		s.Apply(&Request{Kind: Txn, Success: []Request{{Kind: Delete, Key: "z"}}}), "nor one that changes nothing")
}

func TestCompares(t *testing.T) {
	it := []*Item{{ModRevision: 7, Version: 3, CreateRevision: 5, Value: "b"}}
	both := append(it, &Item{ModRevision: 8, Value: "c"})
	for _, tc := range []struct {
		compare Compare
		found   []*Item
		want    bool
	}{
		{Compare{Target: CompareMod, Op: Equal, Operand: 7}, it, true},
		{Compare{Target: CompareMod, Op: NotEqual, Operand: 7}, it, false},
		{Compare{Target: CompareVersion, Op: Greater, Operand: 2}, it, true},
		{Compare{Target: CompareVersion, Op: Greater, Operand: 3}, it, false},
		{Compare{Target: CompareVersion, Op: Less, Operand: 4}, it, true},
		{Compare{Target: CompareVersion, Op: Less, Operand: 3}, it, false},
		{Compare{Target: CompareVersion, Op: Equal}, nil, true},
		{Compare{Target: CompareMod, Op: Less, Operand: 1}, nil, true},
		{Compare{Target: CompareCreate, Op: Equal, Operand: 5}, it, true},
		{Compare{Target: CompareValue, Op: Less, Value: "c"}, it, true},
		{Compare{Target: CompareValue, Op: NotEqual, Value: "c"}, nil, false},
		{Compare{Target: CompareValue, Op: Less, Value: "c"}, both, false},
		{Compare{Target: CompareMod, Op: Greater, Operand: 6}, both, true},
	} {
		require.Equal(t, tc.want, tc.compare.Holds(tc.found), "%+v", tc.compare)
	}
}

func TestReads(t *testing.T) {
	s := NewStore(Initial{Revision: 1})
	for _, key := range []string{"a", "b", "c", "d"} {
		s.Apply(&Request{Kind: Put, Key: key, Value: "v" + key})
	}
	keys := func(res Result) (out string) {
		for _, it := range res.Items {
			out += it.Key
		}
		return out
	}
	for _, tc := range []struct {
		request Request
		keys    string
		count   int64
		more    bool
	}{
		{Request{Kind: Get, Key: "b"}, "b", 1, false},
		{Request{Kind: Get, Key: "x"}, "", 0, false},
		{Request{Kind: List, Key: "b", End: "d"}, "bc", 2, false},
		{Request{Kind: List, Key: "b", End: "\x00"}, "bcd", 3, false},
		{Request{Kind: List, Key: "a", End: "\x00", Limit: 2}, "ab", 4, true},
		{Request{Kind: List, Key: "a", End: "\x00", Limit: 4}, "abcd", 4, false},
		{Request{Kind: List, Key: "a", End: "\x00", CountOnly: true}, "", 4, false},
	} {
		res := s.Read(&tc.request)
		require.Equal(t, tc.keys, keys(res), "%+v", tc.request)
		require.Equal(t, tc.count, res.Count)
		require.Equal(t, tc.more, res.More)
		require.Equal(t, int64(5), res.Revision)
	}
	res := s.Read(&Request{Kind: List, Key: "a", End: "b", KeysOnly: true})
	require.Equal(t, Item{Key: "a", CreateRevision: 2, ModRevision: 2, Version: 1}, *res.Items[0])
	require.Equal(t, "va", s.Get("a").Value, "the stored item keeps its value")
}

func TestCompaction(t *testing.T) {
	s := NewStore(Initial{Revision: 5})
	require.Equal(t, Future, s.Apply(&Request{Kind: Compact, Revision: 6}).Err)
	require.Equal(t, OK, s.Apply(&Request{Kind: Compact, Revision: 5}).Err)
	require.Equal(t, int64(5), s.Compacted())
	require.Equal(t, Compacted, s.Apply(&Request{Kind: Compact, Revision: 5}).Err)
	require.Equal(t, int64(5), s.Revision(), "a compaction takes no revision")
}

// A clone and its original change independently. Different contents have
// different digests.
func TestClones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewStore(Initial{Revision: 1})
		key := func() string { return fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "key")) }
		change := func(s *Store) {
			if rapid.Bool().Draw(t, "put") {
				s.Apply(&Request{Kind: Put, Key: key(), Value: fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "value"))})
			} else {
				s.Apply(&Request{Kind: Delete, Key: key()})
			}
		}
		for range rapid.IntRange(0, 60).Draw(t, "before") {
			change(s)
		}
		c := s.Clone()
		require.True(t, s.Equal(c))
		var items []*Item
		s.Ascend("", "\x00", func(it *Item) bool {
			items = append(items, it)
			return true
		})
		for range rapid.IntRange(0, 60).Draw(t, "after") {
			change(c)
		}
		require.Equal(t, c.Revision() == s.Revision(), s.Equal(c), "equal as long as nothing happened")
		again := NewStore(Initial{Revision: s.Revision(), Items: items})
		require.True(t, s.Equal(again))
		require.Equal(t, s.Digest(), again.Digest())
		if it := c.Get("0"); it != nil && it.ModRevision > s.Revision() {
			require.NotEqual(t, s.Digest(), c.Digest())
		}
	})
}

func TestLog(t *testing.T) {
	l := NewLog(Initial{Revision: 3, Items: []*Item{{Key: "a", Value: "0", CreateRevision: 3, ModRevision: 3, Version: 1}}})
	write := &Request{Kind: Put, Key: "a", Value: "1"}
	l.Append(write)
	l.Append(&Request{Kind: Delete, Key: "z"})
	l.Append(&Request{Kind: Compact, Revision: 4})
	require.Equal(t, int64(3), l.First())
	require.Equal(t, int64(4), l.Revision(), "what changes nothing adds no revision")
	require.Equal(t, "0", l.At(3).Get("a").Value)
	require.Equal(t, "1", l.At(4).Get("a").Value)
	require.Equal(t, int64(4), l.At(4).Compacted())
	require.Nil(t, l.At(2))
	require.Nil(t, l.At(5))
	require.Same(t, write, l.Write(4))
	require.Nil(t, l.Write(3))
	require.Nil(t, l.Write(5))
}

func TestRanges(t *testing.T) {
	require.True(t, InRange("a", "a", ""))
	require.False(t, InRange("ab", "a", ""))
	require.True(t, InRange("z", "a", "\x00"))
	require.False(t, InRange("b", "a", "b"))
	require.Equal(t, "b", PrefixEnd("a"))
	require.Equal(t, "b", PrefixEnd("a\xff"))
	require.Equal(t, "\x00", PrefixEnd("\xff"))
	rapid.Check(t, func(t *rapid.T) {
		prefix := string(rapid.SliceOfN(rapid.Byte(), 1, 3).Draw(t, "prefix"))
		key := string(rapid.SliceOfN(rapid.Byte(), 1, 5).Draw(t, "key"))
		has := len(key) >= len(prefix) && key[:len(prefix)] == prefix
		require.Equal(t, has, InRange(key, prefix, PrefixEnd(prefix)))
	})
}

// Every field of an item is part of its digest.
func TestItemDigest(t *testing.T) {
	base := Item{Key: "k", Value: "v", CreateRevision: 2, ModRevision: 3, Version: 2}
	seen := map[uint64]Item{base.Digest(): base}
	for _, change := range []func(*Item){
		func(it *Item) { it.Key = "l" },
		func(it *Item) { it.Key, it.Value = "kv", "" },
		func(it *Item) { it.Value = "v\x00" },
		func(it *Item) { it.Value = "longer than eight bytes" },
		func(it *Item) { it.CreateRevision = 3 },
		func(it *Item) { it.ModRevision = 4 },
		func(it *Item) { it.Version = 3 },
	} {
		it := base
		change(&it)
		if other, ok := seen[it.Digest()]; ok {
			t.Errorf("%+v and %+v have one digest", it, other)
		}
		seen[it.Digest()] = it
	}
}

func TestVerdicts(t *testing.T) {
	require.Equal(t, Holds, Vacuous.And(Holds))
	require.Equal(t, VerdictUnknown, Holds.And(VerdictUnknown))
	require.Equal(t, Violated, VerdictUnknown.And(Violated))
	require.Equal(t, Holds, Worst(Holds, Holds))
	require.Equal(t, Vacuous, Worst(Holds, Vacuous))
	require.Equal(t, VerdictUnknown, Worst(Vacuous, VerdictUnknown, Holds))
	require.Equal(t, Violated, Worst(VerdictUnknown, Holds, Violated, Vacuous))
	require.Equal(t, Vacuous, Worst())
	require.Equal(t, []string{"vacuous", "holds", "unknown", "violated"},
		[]string{Vacuous.String(), Holds.String(), VerdictUnknown.String(), Violated.String()})
}

// Kubernetes says that more follows a full page if anything does, also if nothing more is
// selected (storage/etcd3, GetList); a page that is not full, and one behind which nothing
// comes, are the last.
func TestMoreBehindAFullSelection(t *testing.T) {
	s := NewStore(Initial{Revision: 4, Items: []*Item{
		{Key: "a", Value: "x", CreateRevision: 2, ModRevision: 2, Version: 1},
		{Key: "b", Value: "x", CreateRevision: 3, ModRevision: 3, Version: 1},
		{Key: "c", Value: "y", CreateRevision: 4, ModRevision: 4, Version: 1},
	}})
	for _, c := range []struct {
		values string
		limit  int64
		more   bool
	}{{"x", 1, true}, {"x", 2, true}, {"x", 3, false}, {"y", 1, false}, {"x", 0, false}} {
		r := &Request{Kind: List, Key: "a", End: "z", Limit: c.limit, Selection: Selection{Values: ValuePattern{Prefix: c.values}, MoreOfAll: true}}
		if res := s.Read(r); res.More != c.more {
			t.Errorf("%q, at most %d: more is %v", c.values, c.limit, res.More)
		}
	}
}
