package cache_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

func fielded(indexed bool) cache.Config {
	cfg := config(cache.Options{})
	cfg.Fields = []store.Field{{Name: "spec.nodeName", Value: node, Indexed: indexed}}
	return cfg
}

// pods are the keys of those of a node, in a LIST from "0", which asks etcd nothing.
func (b *bed) pods(of string) (keys []string) {
	b.t.Helper()
	b.ask(&wire.ListRequest{Prefix: prefix, Selector: wire.Selector{Field: "spec.nodeName", Value: of}})
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
		rng := rand.New(rand.NewPCG(1, 2))
		b := newBed(t, fielded(indexed))
		rv, pods := int64(5), map[string]*wire.KeyValue{}
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
				require.Equal(t, want, b.pods(name), "indexed=%v: pods of %q at %d", indexed, name, rv)
			}
		}
		for range 300 {
			check()
			rv++
			key := fmt.Sprintf("%c", 'a'+rng.IntN(12))
			e := added(key, fmt.Sprintf("n%d.%d", 1+rng.IntN(3), rv), rv)
			if old := pods[prefix+key]; old != nil && rng.IntN(3) == 0 {
				e = deleted(old, rv)
			} else if old != nil {
				e = modified(old, e.Item.Value, rv)
			}
			b.send(e)
			b.settle()
			pods[prefix+key] = e.Item
			if e.Type == wire.Deleted {
				delete(pods, prefix+key)
			}
			if rng.IntN(20) == 0 {
				// The copy goes on; the original must not have changed it.
				b = b.clone()
			}
		}
		// A relist forgets what was there.
		b.send(failed(wire.ErrCompacted))
		b.settle()
		b.do("list and watch again")
		pods = map[string]*wire.KeyValue{prefix + "z": kv("z", "n3.0", rv+1)}
		b.listed(rv+1, pods[prefix+"z"])
		check()
		require.Equal(t, indexed, b.covered("list by a field index") > 0)
		require.Equal(t, !indexed, b.covered("list filtered object by object") > 0)
	}
}

// An indexed list touches what it selects: no object's field is looked at.
func TestIndexTouchesMatchingObjectsOnly(t *testing.T) {
	for indexed, want := range map[bool][2]int{true: {1000, 1000}, false: {0, 1000}} {
		looked := 0
		cfg := fielded(indexed)
		cfg.Fields[0].Value = func(kv *wire.KeyValue) string { looked++; return node(kv) }
		b := newBed(t, cfg)
		var all []*wire.KeyValue
		for i := range 1000 {
			all = append(all, kv(fmt.Sprintf("%04d", i), fmt.Sprintf("n%d.0", i%100), 5))
		}
		b.listed(5, all...)
		require.Equal(t, want[0], looked, "with an index each object once, when it came; without, none before a list asks")
		require.Len(t, b.pods("n7"), 10)
		require.Equal(t, want[1], looked)
	}
}

// A piece of 100 events is safe from eviction once it is copied; the next one is not.
func TestIntervalIsCopiedInPieces(t *testing.T) {
	cfg := config(cache.Options{})
	cfg.RingCapacity, cfg.IncomingCapacity = 150, 1000
	b := newBed(t, cfg)
	b.listed(5)
	send := func(from, to int64) {
		for rv := from; rv <= to; rv++ {
			b.send(added(fmt.Sprint("k", rv), "1", rv))
		}
	}
	send(6, 155)
	b.settle()
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.do("run cache watcher 0") // registers
	b.do("run cache watcher 0") // copies a piece, sends one
	send(156, 275)
	for b.can("deliver up>cache") {
		b.do("deliver up>cache")
		b.do("run cache hand over")
	}
	b.settle()
	require.Equal(t, 100, count[*wire.WatchEvent](b.down))
	require.Equal(t, "ADDED k105=1@105", show(b.down.inbox[99].Payload))
	// It held up the dispatcher, which has to give up waiting for it.
	b.do("fire cache dispatch budget")
	b.settle()
	require.Equal(t, "closed", show(b.down.inbox[100].Payload))
}
