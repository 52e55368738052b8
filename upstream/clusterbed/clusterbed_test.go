package clusterbed

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/stories"
)

// campaignOf runs so many seeds in a world, the first ones, and some of them twice.
func campaignOf(t *testing.T, c Config, seeds uint64) *campaign.Result {
	subjects, err := c.Subjects()
	require.NoError(t, err)
	r, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: strategy.Random(), Seeds: seeds, RecheckShare: 0.1, Steps: Steps})
	require.NoError(t, err)
	return r
}

// observed is an observer.
type observed func(*sim.World, *sim.Event)

// Observe implements sim.Observer.
func (o observed) Observe(w *sim.World, e *sim.Event) { o(w, e) }

// run runs a seed, and shows each event.
func (s *subject) run(seed uint64, observe observed) *sim.World {
	r := explore.NewRunner(s, Steps)
	r.Observe(observe)
	by := strategy.Random().For(r)
	by.Begin(seed)
	r.Run(by)
	return r.World()
}

// subjectOf is of a configuration that is right.
func subjectOf(t testing.TB, c Config) *subject {
	subjects, err := c.Subjects()
	require.NoError(t, err)
	return subjects().(*subject)
}

// holds asserts that all that was claimed was exercised, and holds.
func holds(t *testing.T, r *campaign.Result) {
	for _, p := range r.Properties {
		require.Equal(t, model.Holds, p.Verdict, p.Name)
	}
}

// reaches asserts that some schedule has come to each of these coverage points.
func reaches(t *testing.T, r *campaign.Result, points ...string) {
	came := map[string]bool{}
	for _, p := range r.CoveragePoints {
		came[p.CoveragePoint.String()] = p.Schedules > 0
	}
	for _, p := range points {
		require.True(t, came[p], p)
	}
}

// TestReleaseHolds: three members of a release without a known bug keep what is claimed, whatever breaks, and do the
// same in each run of a seed.
func TestReleaseHolds(t *testing.T) {
	c := Default("cluster@v3.6.16")
	c.Holders, c.Observe = 1, time.Second
	holds(t, campaignOf(t, c, 40))
}

// TestMistakeIsFound: a change of the write-ahead log that leaves votes unsynced has two members lead in one term, and
// the shrunk run comes again from its recording.
func TestMistakeIsFound(t *testing.T) {
	subjects, err := Default("cluster@v3.6.16+sync-later").Subjects()
	require.NoError(t, err)
	r, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: strategy.Random(), FirstSeed: 11, Seeds: 1, Steps: Steps})
	require.NoError(t, err)
	require.Len(t, r.Failures, 1)
	require.Equal(t, "one-leader-a-term", r.Failures[0].Failure.Property)

	run, err := stories.Find(t.Context(), subjects, strategy.Random(), r.Failures[0], 50)
	require.NoError(t, err)
	require.Regexp(t, `^member-\d and member-\d both led in term \d+$`, run.Why)
	var file bytes.Buffer
	_, err = run.Recording.WriteTo(&file)
	require.NoError(t, err)
	read, err := recording.Read(&file, "replay")
	require.NoError(t, err)
	recorded, err := Recorded(read)
	require.NoError(t, err)
	again, err := stories.Replay(recorded, read)
	require.NoError(t, err)
	require.Equal(t, run.Story, again.Story)
}

// TestMembersChange: members are added, promoted, removed and replaced while things break, and what is claimed holds.
func TestMembersChange(t *testing.T) {
	c := Default("cluster@v3.6.16")
	c.Spares, c.Member.LooseReconfig, c.Faults.Changes = 1, true, 3
	r := campaignOf(t, c, 20)
	require.Empty(t, r.Failures)
	reaches(t, r, coverAdded.String(), coverLearner.String(), coverPromoted.String(), coverRemoved.String())
}

// TestFaultsMatter: faults that are off by default leave something to be seen, and what is claimed holds.
func TestFaultsMatter(t *testing.T) {
	for befell, faults := range map[string]Faults{
		"cluster: a goroutine of a member gets no processor":                                    {Starvations: 2, Kills: 1, Moves: 1},
		"cluster: a member stops by itself":                                                     {Flips: 6, Kills: 2, PowerLosses: 1, Partitions: 2, Moves: 1},
		"cluster: messages wait behind a cut of a stream":                                       {StreamCuts: 2, Kills: 1, Moves: 1},
		"cluster: a member sends a snapshot to another one":                                     {Outages: 2},
		"cluster: a member is listed with other URLs than it began with":                        {Updates: 3, Kills: 1, PowerLosses: 1, Partitions: 1},
		"cluster: all members go back to before what clients were told":                         {Backups: 1, Kills: 1, PowerLosses: 1, Partitions: 2},
		"cluster: a copy is restored from before what clients were told, with higher revisions": {Backups: 1, RevisionBump: 1_000_000, Kills: 1, PowerLosses: 1, Partitions: 2},
		"cluster: one member becomes a cluster by itself":                                       {ForceNewClusters: 1, Kills: 1, PowerLosses: 1, Partitions: 2},
	} {
		t.Run(befell, func(t *testing.T) {
			c := Default("cluster@v3.6.16")
			c.Faults, c.Faults.All = faults, true
			c.Member.SnapshotCount, c.Member.SnapshotCatchUpEntries = 5, 2
			r := campaignOf(t, c, 8)
			require.Empty(t, r.Failures)
			reaches(t, r, befell)
		})
	}
}

// TestConfigComesBack: what is printed is what is read, durations in words.
func TestConfigComesBack(t *testing.T) {
	want := Default("cluster@v3.6.16")
	require.Contains(t, want.Text(), `"for": "8s"`)
	got, err := Parse([]byte(want.Text()), Config{})
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = Parse([]byte(`{"think": "1.5s", "choices": {"sync" : "20ms"}, "progress":0}`), want)
	require.NoError(t, err)
	require.Equal(t, 1500*time.Millisecond, got.Think)
	require.Equal(t, 20*time.Millisecond, got.Choice.Sync)
	for text, wrong := range map[string]string{
		`{"think": "soon"}`: `think: "soon": want a duration such as "3s"`, `{"for":3}`: `for: 3: want a duration such as "3s"`,
		`{"faults":{"clockJump": -1.5e9 }}`: `clockJump: -1.5e9: want a duration such as "3s"`, `{"thinks": 1}`: `json: unknown field "thinks"`,
	} {
		_, err := Parse([]byte(text), want)
		require.EqualError(t, err, "the configuration cannot be read: "+wrong)
	}
}

// TestWorldsThatCannotBe: a configuration of which etcd makes no cluster is refused, with what to do.
func TestWorldsThatCannotBe(t *testing.T) {
	for text, wrong := range map[string]string{
		`{"guests":["cluster@v3.6.16:locks"]}`:                       `cluster@v3.6.16:locks: want cluster@v3.6.16, and how goroutines of members are scheduled in the configuration, as in {"choices": {"locks": true}}`,
		`{"caches":1}`:                                               `caches and readers: want the cache that they are of, such as "cache": "kubernetes@v0.37.2"`,
		`{"network":"2s"}`:                                           "network is 2s: members elect no leader then, want 500ms at most",
		`{"next":"cluster@v3.5.35","faults":{"upgrades":1}}`:         "members of cluster@v3.6.16 go on with cluster@v3.5.35: etcd lets the same minor version or the next one do so",
		`{"guests":["cluster@v3.5.5","cluster@v3.7.3"],"members":2}`: "cluster@v3.5.5 and cluster@v3.7.3 are two minor versions apart, or more: etcd lets one be in a cluster",
	} {
		c, err := Parse([]byte(text), Default("cluster@v3.6.16"))
		require.NoError(t, err)
		_, err = c.Subjects()
		require.EqualError(t, err, wrong)
	}
	for _, text := range []string{`{"guests":["cluster@v3.5.35","cluster@v3.6.16"],"members":2}`, `{"next":"cluster@v3.7.3","faults":{"upgrades":1}}`} {
		c, err := Parse([]byte(text), Default("cluster@v3.6.16"))
		require.NoError(t, err)
		require.NoError(t, c.complete())
	}
}

// TestDatabaseIsFull: members whose databases come to be as large as they may be say so, and write again once there is
// room; what they say of themselves never goes back.
func TestDatabaseIsFull(t *testing.T) {
	c := Default("cluster@v3.6.16")
	c.Operations, c.Think, c.Observe = 15, 500*time.Millisecond, 400*time.Millisecond
	c.ValueBytes, c.Shares.Large, c.Member.QuotaBytes, c.Member.CorruptCheckMs = 20_000, 20, 330_000, 1000
	r := campaignOf(t, c, 10)
	require.Empty(t, r.Failures)
	reaches(t, r, coverFull.String())
	for _, name := range []string{"alarms", "status-honest"} {
		i := slices.IndexFunc(r.Properties, func(p campaign.PropertyTally) bool { return p.Name == name })
		require.Equal(t, model.Holds, r.Properties[i].Verdict, name)
	}
}
