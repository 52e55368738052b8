package scenarios_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/scenarios"
)

// A decode takes five to eight eighths of 4 s, 3.25 s in the mean. The revision of a list that begins with the process
// is compacted after ten minutes, by the second compaction: 600 s are 184 decodes one at a time, and 1,846 of ten at
// once. About a hundred more objects wait in incomingEventChan when the last one is queued. So the bounds lie near 284
// and 1,946 objects.
func TestHowManyObjectsGetThrough(t *testing.T) {
	for _, c := range []struct {
		decode  string
		objects int
		ready   bool
	}{
		{"serial", 250, true}, {"serial", 320, false}, {"concurrent", 1_700, true}, {"concurrent", 2_100, false},
	} {
		for _, stream := range []string{"enabled", "disabled"} {
			p := scenarios.NeverInitialises.Params
			for name, value := range map[string]string{"watch-decode": c.decode, "etcd-range-stream": stream, "items": fmt.Sprint(c.objects)} {
				require.NoError(t, p.Set(name, value))
			}
			system, err := scenarios.NeverInitialises.New(p)
			require.NoError(t, err)
			runner := explore.NewRunner(system, p.Clock.Steps)
			chooser := strategy.Default().For(runner)
			for seed := range uint64(3) {
				chooser.Begin(seed)
				runner.Run(chooser)
				assert.Equal(t, c.ready, system.Caches()[0].Ready(), "%s, %d objects, stream %s, seed %d", c.decode, c.objects, stream, seed)
			}
		}
	}
}
