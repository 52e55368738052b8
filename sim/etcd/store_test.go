package etcd_test

import (
	"fmt"
	"sort"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// keys are few, so that they meet; one is a prefix of another.
var keys = []string{"/a", "/a/1", "/a/2", "/b", "/c"}

func drawRange(t *rapid.T) (key, end string) {
	key = rapid.SampledFrom(keys).Draw(t, "key")
	end = rapid.SampledFrom([]string{"", "", "\x00", "/a/2", "/c", "/z"}).Draw(t, "end")
	return key, end
}

func drawCompares(t *rapid.T) (w []wire.Compare, m []model.Compare) {
	for range rapid.IntRange(0, 2).Draw(t, "compares") {
		key := rapid.SampledFrom(keys).Draw(t, "key")
		target, op := rapid.IntRange(0, 1).Draw(t, "target"), rapid.IntRange(0, 3).Draw(t, "op")
		operand := rapid.Int64Range(0, 6).Draw(t, "operand")
		w = append(w, wire.Compare{Key: key, Target: wire.CompareTarget(target), Result: wire.CompareResult(op), Operand: operand})
		m = append(m, model.Compare{Key: key, Target: model.CompareTarget(target), Op: model.CompareOp(op), Operand: operand})
	}
	return w, m
}

// drawBranch draws the operations of one branch of a transaction. A key is put once at
// most, and deleted or put, not both, but for a deletion of everything from a key on.
func drawBranch(t *rapid.T) (w []wire.RequestOp, m []model.Request) {
	free := append([]string(nil), keys...)
	for range rapid.IntRange(0, 3).Draw(t, "ops") {
		i := rapid.IntRange(0, len(free)-1).Draw(t, "key")
		key := free[i]
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			free = append(free[:i], free[i+1:]...)
			w = append(w, wire.RequestOp{Put: &wire.PutRequest{Key: key, Value: "t"}})
			m = append(m, model.Request{Kind: model.Put, Key: key, Value: "t"})
		case 1:
			free = append(free[:i], free[i+1:]...)
			w = append(w, wire.RequestOp{DeleteRange: &wire.DeleteRangeRequest{Key: key}})
			m = append(m, model.Request{Kind: model.Delete, Key: key})
		case 2:
			w = append(w, wire.RequestOp{Range: &wire.RangeRequest{Key: key, RangeEnd: "\x00"}})
			m = append(m, model.Request{Kind: model.List, Key: key, End: "\x00"})
		case 3:
			w = append(w, wire.RequestOp{DeleteRange: &wire.DeleteRangeRequest{Key: key, RangeEnd: "\x00"}})
			m = append(m, model.Request{Kind: model.Delete, Key: key, End: "\x00"})
		}
	}
	return w, m
}

// TestStoreAgreesWithTheModel carries out random requests, one at a time, and
// compares every answer, and the answers to reads at all revisions, with those
// of the independent specification.
func TestStoreAgreesWithTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		version := rapid.SampledFrom([]string{"3.4.24", "3.5.12", "3.5.35", "3.7.3"}).Draw(rt, "version")
		b := newBench(t, version, func(c *etcd.Config) {
			c.Store.CompactionBatchLimit = rapid.IntRange(1, 5).Draw(rt, "batch limit")
			c.Store.LosesRecreated = false // #22376
		})
		log := model.NewLog(model.Initial{Revision: 1})
		compacted := int64(0)
		for range rapid.IntRange(1, 25).Draw(rt, "requests") {
			var w sim.Payload
			m := &model.Request{}
			switch rapid.IntRange(0, 5).Draw(rt, "request") {
			case 0, 1:
				m.Kind, m.Key, m.Value = model.Put, rapid.SampledFrom(keys).Draw(rt, "key"), "v"
				w = &wire.PutRequest{Key: m.Key, Value: m.Value}
			case 2:
				m.Kind = model.Delete
				m.Key, m.End = drawRange(rt)
				w = &wire.DeleteRangeRequest{Key: m.Key, RangeEnd: m.End}
			case 3:
				m.Kind = model.Txn
				req := &wire.TxnRequest{}
				req.Compare, m.Compare = drawCompares(rt)
				req.Success, m.Success = drawBranch(rt)
				req.Failure, m.Failure = drawBranch(rt)
				w = req
			case 4:
				m.Kind, m.Revision = model.Compact, rapid.Int64Range(1, log.Revision()+1).Draw(rt, "compact")
				w = &wire.CompactionRequest{Revision: m.Revision}
			case 5:
				if version < "3.5.14" {
					continue // The revision may go back: #17780.
				}
				b.Act("inject restart etcd")
				b.settle().user.told = nil
				continue
			}
			b.call(w).settle()
			want := log.At(log.Revision()).Clone().Apply(m)
			requireSame(rt, want, b.last())
			log.Append(m)
			if m.Kind == model.Compact && want.Err == model.OK {
				compacted = m.Revision
			}
		}
		// A compaction that still pauses between batches changes no answer.
		for rev := int64(1); rev <= log.Revision()+1; rev++ {
			m := &model.Request{Kind: model.List, Limit: rapid.Int64Range(0, 3).Draw(rt, "limit"),
				CountOnly: rapid.Bool().Draw(rt, "count only"), KeysOnly: rapid.Bool().Draw(rt, "keys only")}
			m.Key, m.End = drawRange(rt)
			b.call(&wire.RangeRequest{Key: m.Key, RangeEnd: m.End, Revision: rev, Limit: m.Limit, CountOnly: m.CountOnly,
				KeysOnly: m.KeysOnly, Serializable: rapid.Bool().Draw(rt, "serializable")}).settle()
			want := model.Result{Err: model.Compacted}
			switch {
			case rev > log.Revision():
				want.Err = model.Future
			case rev >= compacted:
				want = log.At(rev).Read(m)
				want.Revision = log.Revision()
			}
			requireSame(rt, want, b.last())
		}
	})
}

func requireSame(t *rapid.T, want model.Result, got sim.Payload) {
	t.Helper()
	switch got := got.(type) {
	case *wire.Error:
		code := map[wire.Code]model.Code{wire.ErrCompacted: model.Compacted, wire.ErrFutureRev: model.Future, wire.BadRequest: model.Invalid}[got.Code]
		require.Equal(t, want.Err, code, got.Message)
		return
	case *wire.PutResponse:
		require.Equal(t, want.Revision, got.Revision)
	case *wire.DeleteRangeResponse:
		require.Equal(t, want.Revision, got.Revision)
		require.Equal(t, want.Deleted, got.Deleted)
	case *wire.CompactionResponse:
		require.Equal(t, want.Revision, got.Revision)
	case *wire.RangeResponse:
		require.Equal(t, want.Revision, got.Revision)
		requireSameRange(t, want, got)
	case *wire.TxnResponse:
		require.Equal(t, want.Revision, got.Revision)
		require.Equal(t, want.Succeeded, got.Succeeded)
		require.Len(t, got.Responses, len(want.Results))
		for i, r := range want.Results {
			switch op := got.Responses[i]; {
			case op.Range != nil:
				requireSameRange(t, r, op.Range)
			case op.DeleteRange != nil:
				require.Equal(t, r.Deleted, op.DeleteRange.Deleted)
			}
		}
	default:
		t.Fatalf("unexpected answer %T", got)
	}
	require.Equal(t, model.OK, want.Err)
}

func requireSameRange(t *rapid.T, want model.Result, got *wire.RangeResponse) {
	t.Helper()
	require.Equal(t, want.Count, got.Count)
	require.Equal(t, want.More, got.More)
	require.Len(t, got.Kvs, len(want.Items))
	for i, kv := range got.Kvs {
		require.Equal(t, *want.Items[i], itemOf(kv))
	}
}

func itemOf(kv *wire.KeyValue) model.Item {
	return model.Item{Key: kv.Key, Value: kv.Value, CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version}
}

func TestInitialContents(t *testing.T) {
	initial := []*wire.KeyValue{
		{Key: "/b", Value: "1", CreateRevision: 7, ModRevision: 7, Version: 1},
		{Key: "/a", Value: "1", CreateRevision: 5, ModRevision: 5, Version: 1},
		{Key: "/a", Value: "2", CreateRevision: 5, ModRevision: 6, Version: 2},
	}
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Initial, c.InitialRevision, c.Compacted = initial, 9, 5 })
	require.EqualValues(t, 9, b.server.Revision())
	require.EqualValues(t, 5, b.server.CompactRevision())
	b.request("w", create("/", 5)).settle().Act("fire etcd syncWatchersLoop")
	require.Equal(t, "event /a=1@5 /a=2@6 /b=1@7", b.settle().last().Label())
	b.put("/a", "3").settle()
	b.Act("inject restart etcd")
	b.settle()
	require.EqualValues(t, 10, b.server.Revision())
}

// byValue is upstream's kvSortByValue.
type byValue []*wire.KeyValue

func (s byValue) Len() int           { return len(s) }
func (s byValue) Less(i, j int) bool { return s[i].Value < s[j].Value }
func (s byValue) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Of many equal keys it shows how they are sorted which come before a limit: "sort.Sort(sort.Reverse(sorter))"
// (sortRangeResults in etcdserver/txn/range.go at v3.7.3), from the order of the keys.
func TestEqualKeysAreSortedAsUpstream(t *testing.T) {
	b := newBench(t, "3.7.3")
	var sorted byValue
	for i := range 40 {
		b.put(fmt.Sprintf("%02d", i), strconv.Itoa(i*7%3)).settle()
		sorted = append(sorted, &wire.KeyValue{Key: fmt.Sprintf("%02d", i), Value: strconv.Itoa(i * 7 % 3)})
	}
	sort.Sort(sort.Reverse(sorted))
	b.call(&wire.RangeRequest{Key: "0", RangeEnd: "9", SortOrder: wire.SortDescend, SortTarget: wire.SortByValue, Limit: 30}).settle()
	for i, kv := range b.last().(*wire.RangeResponse).Kvs {
		require.Equal(t, sorted[i].Key, kv.Key, i)
	}
}
