package leader

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/etcdtest"
)

// partitions cut clients off longer than a lease lives.
var partitions = etcdtest.Config{
	Schedules: 50, Network: 400 * time.Millisecond, Faults: &etcdtest.Faults{Within: 10 * time.Second, Partitions: 3},
}

// compete has two processes compete for work, and asserts that none writes after another one has begun.
func compete(fenced bool, lead func(*Work, context.Context) error) func(*etcdtest.T) {
	return func(t *etcdtest.T) {
		var mu sync.Mutex
		terms := map[int64]string{}
		wrote := func(revision int64, term string) {
			mu.Lock()
			defer mu.Unlock()
			terms[revision] = term
			var over []string
			for _, revision := range slices.Sorted(maps.Keys(terms)) {
				if term := terms[revision]; len(over) == 0 || over[len(over)-1] != term {
					require.NotContains(t, over, term, "it writes after another one has led")
					over = append(over, term)
				}
			}
		}
		for i := range 2 {
			w := &Work{Client: t.Client(), Name: fmt.Sprint("process-", i+1), Fenced: fenced, TTL: 2, Steps: 4, Wrote: wrote}
			t.Go(w.Name, func() {
				for range 3 {
					_ = lead(w, t.Context())
				}
			})
		}
	}
}

func TestMutex(t *testing.T)    { etcdtest.Run(t, partitions, compete(true, (*Work).ByMutex)) }
func TestElection(t *testing.T) { etcdtest.Run(t, partitions, compete(true, (*Work).ByElection)) }

// unfenced are tests that fail.
var unfenced = map[string]func(*Work, context.Context) error{"mutex": (*Work).ByMutex, "election": (*Work).ByElection}

// TestUnfenced is one of them, which TestLeaseIsNoFence runs in a process of its own.
func TestUnfenced(t *testing.T) {
	if lead, asked := unfenced[os.Getenv("UNFENCED")]; asked {
		etcdtest.Run(t, partitions, compete(false, lead))
	}
}

// TestLeaseIsNoFence: a process that is cut off longer than its lease lives believes that it leads while another one
// does.
func TestLeaseIsNoFence(t *testing.T) {
	for name := range unfenced {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := exec.Command(os.Args[0], "-test.run=^TestUnfenced$")
			test.Env = append(os.Environ(), "UNFENCED="+name)
			out, err := test.CombinedOutput()
			t.Logf("%s", out)
			require.Error(t, err)
			require.Contains(t, string(out), "it writes after another one has led")
			require.Contains(t, string(out), "no message gets through")
		})
	}
}
