package shell_test

import (
	"fmt"
	"testing"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// What a consistent list costs besides its revision read, which this etcd
// answers for next to nothing: 30 of 150,000 objects by index.
func BenchmarkConsistentList(b *testing.B) {
	e := newEtcd()
	for i := range 150_000 {
		e.set(fmt.Sprintf("%s%06d", prefix, i), fmt.Sprint("n", i%5000))
	}
	node := func(kv *wire.KeyValue) string { return kv.Value }
	c := start(b, e, cache.Config{Fields: []store.Field{{Name: "spec.nodeName", Value: node, Indexed: true}}})
	req := consistent
	req.Selector = wire.Selector{Field: "spec.nodeName", Value: "n7"}
	// The fake server looks at each of its objects; a revision read needs none.
	e.forget()
	b.ReportAllocs()
	for b.Loop() {
		got, err := c.List(b.Context(), req)
		if err != nil || len(got.Items) != 30 {
			b.Fatalf("%d items, %v", len(got.Items), err)
		}
	}
}

// A list of everything is a pointer an object.
func BenchmarkListOfEverything(b *testing.B) {
	e := newEtcd()
	const objects = 100_000
	for i := range objects {
		e.set(fmt.Sprintf("%s%06d", prefix, i), "x")
	}
	c := start(b, e, cache.Config{})
	e.forget()
	b.ReportAllocs()
	for b.Loop() {
		got, err := c.List(b.Context(), consistent)
		if err != nil || len(got.Items) != objects {
			b.Fatalf("%d items, %v", len(got.Items), err)
		}
	}
}

// Many callers at a time share one goroutine, which takes in what came together
// in one go.
func BenchmarkConsistentListParallel(b *testing.B) {
	e := newEtcd()
	for i := range 30 {
		e.set(fmt.Sprintf("%s%06d", prefix, i), "x")
	}
	c := start(b, e, cache.Config{})
	e.forget()
	b.SetParallelism(100)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.List(b.Context(), consistent); err != nil {
				b.Error(err)
			}
		}
	})
}
