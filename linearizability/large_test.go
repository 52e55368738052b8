package linearizability

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/history"
)

var (
	largeOut        = flag.String("large.out", "", "file to which TestWriteLargeHistory writes a history that holds, for `simrun check`")
	largeOperations = flag.Int("large.operations", 1_000_000, "how many operations it has, half of them lists of ten items")
)

// TestWriteLargeHistory writes what the time and memory of `simrun check` are measured with:
//
//	go test ./linearizability -run TestWriteLargeHistory -large.out=/tmp/large.jsonl
//	/usr/bin/time -v simrun check /tmp/large.jsonl
func TestWriteLargeHistory(t *testing.T) {
	if *largeOut == "" {
		t.Skip("no -large.out")
	}
	f, err := os.Create(*largeOut)
	require.NoError(t, err)
	require.NoError(t, history.Write(f, overlapping(*largeOperations, 16, 1000, 10, false)))
	require.NoError(t, f.Close())
}
