package command

import (
	"context"
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
)

// small are the bounds of a proof that takes a second.
var small = []string{"--set", "writers=1", "--set", "writes=1", "--set", "readers=1", "--set", "reads=1", "--timer-bound", "1"}

func proveSmall(args ...string) []string { return append(append([]string{"prove"}, args...), small...) }

// A search that is kept goes on with the command that it says, and comes to the same.
func TestProveGoesOn(t *testing.T) {
	c := command(t)
	of := func(more ...string) []string { return append(proveSmall("issue-15220", "--etcd", "3.6.16"), more...) }
	require.Equal(t, exitNoVerdict, c.run(of("--states", "50")...))
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "it begins anew, unless --keep DIR keeps it")
	require.Equal(t, exitNoVerdict, c.run(of("--states", "50", "--keep", "my search")...))
	goOn := "simrun prove issue-15220 --etcd 3.6.16 --set writers=1 --set writes=1 --set readers=1 --set reads=1 --timer-bound 1 --states 50 --keep 'my search'"
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "with: "+goOn)

	var once, often proof.Proof
	require.Zero(t, c.run(of("--json")...), c.err)
	require.NoError(t, json.Unmarshal([]byte(c.out), &once))
	require.Zero(t, c.run(of("--json", "--keep", "my search")...), c.err)
	require.NoError(t, json.Unmarshal([]byte(c.out), &often))
	require.Positive(t, often.Resumed)
	require.NotEmpty(t, once.CoveragePoints)
	often.Seconds, often.Bytes, often.Resumed = once.Seconds, once.Bytes, 0
	require.Equal(t, once, often)

	c.refuses([]string{"my search keeps another search: it has etcd=3.6.16, and this one etcd=3.5.7: give another directory"}, proveSmall("issue-15220", "--etcd", "3.5.7", "--keep", "my search")...)
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	c.refuses([]string{"cannot open file, where the search is kept"}, of("--keep", "file")...)
}

func TestProgressSaysWhatIsLeftOfTheDepth(t *testing.T) {
	at := prove.Progress{States: 3000, Depth: 7, Expanded: 1000, Done: 400, Layer: 900, Next: 650, Bytes: 5 << 20, Elapsed: 10 * time.Second}
	require.Equal(t, "3000 states, 300 a second; depth 7: 400 of 900, 5s left of it; next depth: 650 so far; 5 MB", searched(at))
}

// The start of a timed run may have millions of answers. A search that is interrupted does not go through the rest of
// them.
func TestProveIsInterruptedInTheMiddleOfAStart(t *testing.T) {
	c := command(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.Equal(t, exitNoVerdict, c.runIn(ctx, "prove", "memory-fallback"), c.err)
	require.Contains(t, c.out, "it was interrupted")
	require.Less(t, time.Since(began), 30*time.Second)
}

// TestLittleMemoryIsNotThatOfTheProcess: a limit below what is in use already would have the collector run all the
// time.
func TestLittleMemoryIsNotThatOfTheProcess(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	restore := holdGarbage(1)
	limit := debug.SetMemoryLimit(-1)
	restore()
	require.Greater(t, limit, inUse()+8<<20)
	require.Equal(t, before, debug.SetMemoryLimit(-1))
}
