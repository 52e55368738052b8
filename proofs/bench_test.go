package proofs_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/scenarios"
)

// One operation is a search of issue-15220 on etcd 3.6.16 with one write and one list.
func BenchmarkProve(b *testing.B) {
	p := scenarios.Issue15220.Params
	p.Etcd = "3.6.16"
	p.Workload.Writers, p.Workload.Writes, p.Workload.Readers, p.Workload.Reads = 1, 1, 1, 1
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			states := 0
			for b.Loop() {
				found, _, err := proof.Search(context.Background(), scenarios.Issue15220, p, prove.Config{Bounds: prove.Bounds{Firings: 2}, Workers: workers}, "benchmark")
				require.NoError(b, err)
				states += found.States
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
