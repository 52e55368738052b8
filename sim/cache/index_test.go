package cache_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// node is where a pod of these tests is scheduled: what its value begins with.
func node(kv *wire.KeyValue) string {
	name, _, _ := strings.Cut(kv.Value, ".")
	return name
}

// byNode selects the pods of a node from "0", which asks etcd nothing.
func byNode(name string) *wire.ListRequest {
	return &wire.ListRequest{Prefix: prefix, Selector: wire.Selector{Field: "spec.nodeName", Value: name}}
}

func fielded(indexed bool) cache.Config {
	cfg := config(cache.Options{})
	cfg.Fields = []store.Field{{Name: "spec.nodeName", Value: node, Indexed: indexed}}
	return cfg
}

func listedKeys(b *bed, req *wire.ListRequest) (keys []string) {
	b.t.Helper()
	b.ask(req)
	b.settle()
	resp, _ := take[*wire.ListResponse](b, b.down)
	for _, kv := range resp.Items {
		keys = append(keys, strings.TrimPrefix(kv.Key, prefix))
	}
	return keys
}

// With and without an index a list has the objects that it selects, in key
// order, whatever became of them before.
func TestSelectedObjects(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		t.Run(fmt.Sprintf("indexed=%v", indexed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			b := newBed(t, fielded(indexed))
			// pods is what there is, by key.
			pods := map[string]*wire.KeyValue{}
			rv := int64(5)
			first := []*wire.KeyValue{kv("a", "n1.0", 3), kv("b", "n2.0", 4), kv("c", ".0", 5)}
			for _, kv := range first {
				pods[kv.Key] = kv
			}
			b.listed(rv, first...)
			check := func() {
				t.Helper()
				for _, name := range []string{"n1", "n2", "n3", "", "none"} {
					var want []string
					for key, kv := range pods {
						if node(kv) == name {
							want = append(want, strings.TrimPrefix(key, prefix))
						}
					}
					slices.Sort(want)
					require.Equal(t, want, listedKeys(b, byNode(name)), "pods of %q at %d", name, rv)
				}
			}
			check()
			for range 300 {
				rv++
				key := fmt.Sprintf("%c", 'a'+rng.IntN(12))
				value := fmt.Sprintf("n%d.%d", 1+rng.IntN(3), rv)
				switch old := pods[prefix+key]; {
				case old == nil:
					b.send(added(key, value, rv))
					pods[prefix+key] = kv(key, value, rv)
				case rng.IntN(3) == 0:
					b.send(deleted(old, rv))
					delete(pods, old.Key)
				default:
					e := modified(old, value, rv)
					b.send(e)
					pods[old.Key] = e.Item
				}
				b.settle()
				check()
				if rng.IntN(20) == 0 {
					// The copy goes on; the original must not have changed it.
					b = b.clone()
				}
			}
			// A relist forgets what was there.
			b.act(b.up, func(env *sim.Env) {
				env.Send(b.feed, &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted}})
			})
			b.settle()
			b.do("list and watch again")
			rv++
			pods = map[string]*wire.KeyValue{prefix + "z": kv("z", "n3.0", rv)}
			b.listed(rv, pods[prefix+"z"])
			check()
			require.Equal(t, indexed, b.covered("list by a field index") > 0)
			require.Equal(t, !indexed, b.covered("list filtered object by object") > 0)
		})
	}
}

// A clone has an index of its own.
func TestClonedIndex(t *testing.T) {
	b := newBed(t, fielded(true))
	b.listed(5, kv("a", "n1.0", 5))
	c := b.clone()
	c.send(added("b", "n1.0", 6))
	c.settle()
	require.Equal(t, []string{"a", "b"}, listedKeys(c, byNode("n1")))
	require.Equal(t, []string{"a"}, listedKeys(b, byNode("n1")))
}

// An indexed list touches what it selects: no object's field is looked at.
func TestIndexTouchesMatchingObjectsOnly(t *testing.T) {
	looked := 0
	cfg := fielded(true)
	cfg.Fields[0].Value = func(kv *wire.KeyValue) string { looked++; return node(kv) }
	b := newBed(t, cfg)
	var all []*wire.KeyValue
	for i := range 1000 {
		all = append(all, kv(fmt.Sprintf("%04d", i), fmt.Sprintf("n%d.0", i%100), 5))
	}
	b.listed(5, all...)
	require.Equal(t, 1000, looked, "each object once, when it came")
	require.Len(t, listedKeys(b, byNode("n7")), 10)
	require.Equal(t, 1000, looked)

	cfg.Fields[0].Indexed = false
	b = newBed(t, cfg)
	b.listed(5, all...)
	require.Equal(t, 1000, looked, "without an index no object is looked at before a list asks")
	require.Len(t, listedKeys(b, byNode("n7")), 10)
	require.Equal(t, 2000, looked)
}

// requireToken: the list goes on at a revision and at a key, behind the last object of the page.
func requireToken(t *testing.T, revision int64, key string, page *wire.ListResponse) {
	t.Helper()
	require.NotEmpty(t, page.Continue)
	rv, start, refused := request.DecodeContinue(page.Continue, prefix)
	require.Nil(t, refused)
	require.Equal(t, revision, rv)
	require.Equal(t, prefix+key, start)
}

func TestPagesOfASelection(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		b := newBed(t, fielded(indexed))
		b.listed(5, kv("a", "n1.0", 5), kv("b", "n2.0", 5), kv("c", "n1.0", 5), kv("d", "n1.0", 5), kv("e", "n2.0", 5))
		list := func(namespace string, limit int64) *wire.ListResponse {
			b.ask(&wire.ListRequest{Prefix: prefix + namespace, ResourceVersion: wire.Unset, Limit: limit, Selector: byNode("n1").Selector})
			b.settle()
			b.answer(&wire.RangeResponse{Revision: 5})
			resp, _ := take[*wire.ListResponse](b, b.down)
			return resp
		}
		page := list("", 2)
		require.Len(t, page.Items, 2)
		requireToken(t, 5, "c\x00", page)
		require.Equal(t, !indexed, list("", 3).Continue != "", "an object follows the third, and an index does not have it")
		require.Empty(t, list("", 4).Continue, "a page that is not full is the last one")
		require.Empty(t, list("other/", 0).Items)
	}
}

// etcd knows of no selectors: it is asked until the page is full, for twice as
// much each time, and at one revision.
func TestDelegatedSelection(t *testing.T) {
	b := newBed(t, fielded(true))
	b.listed(5)
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset, Limit: 2, FromEtcd: true, Selector: byNode("n1").Selector})
	b.settle()
	end := prefix[:len(prefix)-1] + "0"
	req := b.answer(&wire.RangeResponse{Revision: 9, More: true, Kvs: []*wire.KeyValue{kv("a", "n2.0", 5), kv("b", "n1.0", 5)}})
	require.Equal(t, &wire.RangeRequest{Key: prefix, RangeEnd: end, Limit: 2}, req)
	req = b.answer(&wire.RangeResponse{Revision: 11, More: true, Kvs: []*wire.KeyValue{kv("c", "n2.0", 5), kv("d", "n2.0", 5), kv("e", "n2.0", 5), kv("f", "n2.0", 5)}})
	require.Equal(t, &wire.RangeRequest{Key: prefix + "b\x00", RangeEnd: end, Limit: 4, Revision: 9}, req)
	c := b.clone()
	req = b.answer(&wire.RangeResponse{Revision: 12, Kvs: []*wire.KeyValue{kv("g", "n1.0", 5), kv("h", "n2.0", 5)}})
	require.Equal(t, &wire.RangeRequest{Key: prefix + "f\x00", RangeEnd: end, Limit: 8, Revision: 9}, req)
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.Len(t, resp.Items, 2)
	require.EqualValues(t, 9, resp.ResourceVersion)
	requireToken(t, 9, "g\x00", resp)
	require.Equal(t, 2, b.covered("delegated list asks for another page to select from"))

	// The clone finds something else on the last page.
	c.answer(&wire.RangeResponse{Revision: 12, Kvs: []*wire.KeyValue{kv("g", "n2.0", 5)}})
	resp, _ = take[*wire.ListResponse](c, c.down)
	require.Len(t, resp.Items, 1)
	require.Empty(t, resp.Continue)
}

func TestUnknownFieldIsRefused(t *testing.T) {
	b := newBed(t, fielded(true))
	b.listed(5)
	b.ask(&wire.ListRequest{Prefix: prefix, Selector: wire.Selector{Field: "spec.color", Value: "red"}})
	b.settle()
	refused, _ := take[*wire.Error](b, b.down)
	require.Equal(t, 400, refused.Code.Status())
	require.Contains(t, refused.Message, `field label not supported: "spec.color"`)
}
