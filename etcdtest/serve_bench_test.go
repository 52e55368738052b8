package etcdtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// BenchmarkServed has 32 goroutines put through one connection, with 100 watches of others.
func BenchmarkServed(b *testing.B) {
	c, _ := served(b, false, Config{})
	ctx, cancel := context.WithCancel(b.Context())
	var seen sync.WaitGroup
	for i := range 100 {
		w := c.Watch(ctx, fmt.Sprintf("key-%d-", i), clientv3.WithPrefix(), clientv3.WithCreatedNotify())
		<-w
		seen.Go(func() {
			for range w {
			}
		})
	}
	const writers = 32
	var took [writers][]time.Duration
	var next atomic.Int64
	var done sync.WaitGroup
	b.ResetTimer()
	for w := range writers {
		done.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				at := time.Now()
				if _, err := c.Put(ctx, fmt.Sprintf("key-%d-%d", i%100, i%1000), "value"); err != nil {
					b.Error(err)
				}
				took[w] = append(took[w], time.Since(at))
			}
		})
	}
	done.Wait()
	b.StopTimer()
	all := slices.Sorted(slices.Values(slices.Concat(took[:]...)))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "puts/s")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
	cancel()
	seen.Wait()
}
