package proofs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
)

// A request that is never answered comes out as a way into a loop, and the loop: on a quiet
// range where etcd defers a progress request for ever (etcd-io/etcd#17507), and in no other
// release.
func TestUnansweredRequestIsALasso(t *testing.T) {
	for _, test := range []struct {
		etcd, cache string
		never       bool
		// loop is how many steps of it are repeated: the cache requests progress, and etcd
		// ignores the request. A cache that requests it once has none.
		loop int
	}{
		{"3.5.7", "kep-2340", false, 0},
		{"3.5.12", "kep-2340", true, 3},
		{"3.5.13", "kep-2340", false, 0},
		{"3.6.16", "kep-2340", false, 0},
		{"3.7.3", "kep-2340", false, 0},
		{"3.6.16", "single-request", true, 0},
	} {
		t.Run(test.etcd+" "+test.cache, func(t *testing.T) {
			p := scenarios.QuietRange.Params
			p.Etcd, p.Cache = test.etcd, test.cache
			found, runs, err := proof.Search(context.Background(), scenarios.QuietRange, p, prove.Config{Bounds: prove.Bounds{Firings: 0}}, "test")
			require.NoError(t, err)
			if !test.never {
				require.Equal(t, string(prove.Proved), found.Verdict)
				require.Positive(t, found.Checked[reads.Answered.Name])
				return
			}
			require.Equal(t, string(prove.Violated), found.Verdict)
			require.Equal(t, reads.Answered.Name, found.Failures[0].Property)
			require.Equal(t, test.loop, found.Failures[0].Loop)
			require.Len(t, runs, 1)
		})
	}
}
