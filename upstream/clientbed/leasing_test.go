package clientbed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/clientbed"
	"github.com/watchbed/watchbed/upstream/stories"
)

var (
	seeds   = flag.Uint64("schedules", 300, "how many schedules are judged")
	replays = flag.String("replays", "", "the folder in which a shrunk replay of each failure is written")
)

// judge runs a campaign, says what it has found, and returns the verdicts.
func judge(t *testing.T, guest string) map[string]model.Verdict {
	subjects, err := clientbed.Default(guest).Subjects()
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: *seeds, Workers: 1})
	require.NoError(t, err)
	verdicts := map[string]model.Verdict{}
	for _, p := range c.Properties {
		t.Logf("%s: %s %v, violated in %d of %d schedules", guest, p.Name, p.Verdict, p.Violations, c.Schedules)
		verdicts[p.Name] = p.Verdict
	}
	for _, f := range c.Failures {
		t.Logf("%v in %d schedules, the first of seed %d", f.Failure, f.Schedules, f.FirstSeed)
		if *replays == "" {
			continue
		}
		run, err := stories.Find(t.Context(), subjects, strategy.Default(), f, 2000)
		require.NoError(t, err)
		path, err := run.Recording.Create(*replays)
		require.NoError(t, err)
		t.Logf("%s: %s\n%s", path, run.Why, strings.Join(run.Story, "\n"))
	}
	return verdicts
}

// TestLeasing: etcd's leasing violates what it promises, and etcd's client without it does not.
func TestLeasing(t *testing.T) {
	for guest, want := range map[string]model.Verdict{"client@plain": model.Holds, "client@leasing": model.Violated} {
		require.Equal(t, map[string]model.Verdict{"linearizable-data": want, "counts": want, "once": want}, judge(t, guest))
	}
}
