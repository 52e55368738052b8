package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// active says in which scenario a value of an option makes a difference: its campaign
// hash is not that of the scenario without the value.
type active struct {
	// set is the value, NAME=VALUE.
	set string
	// scenario is its name.
	scenario string
	// with are the settings that it needs, comma separated; the scenario is compared
	// with itself with these.
	with string
	// judged: the value is about judges and counts only, or about a field of an answer by which no
	// client goes. The runs are the same, and their verdicts or metrics are not.
	judged bool
}

// usual are scenarios in which most values make a difference.
var usual = []string{"consistent-list", "every-read", "any-requests", "any-etcd-requests", "watch-list", "recovery", "informer-handlers", "lagging-member",
	"stalled-watches", "watch-list-behind", "snapshot-reads"}

// amounts are what is tried of an option that is no choice, by the form of its values.
var amounts = []struct{ form, values string }{
	{"true or false", "true false"}, {"a whole number", "1 2 3 10 100"}, {"a duration", "1m40s 20s 2s 150ms 20ms 1ms"},
}

// activeValues are those that make no difference in the first schedules of a usual scenario, nor of one that sets
// another value of the option itself.
var activeValues = []active{
	// Presets.
	{set: "etcd=3.5.12", scenario: "issue-17507", with: "etcd=3.5.13"},
	{set: "etcd-program=simulated@v3.5.7", scenario: "issue-15220"},
	{set: "client=3.5.7", scenario: "recovery"},
	{set: "unmask=created", scenario: "consistent-list"},
	// Topology.
	{set: "shared-stream=true", scenario: "several-caches"},
	{set: "members=3.5.7", scenario: "guard-mixed-members", with: "members=3.6.16"},
	{set: "member-settings=3.5.13:progress=deferred", scenario: "issue-17507", with: "etcd=3.5.13"},
	{set: "server-settings=cache-2:ring=3", scenario: "any-requests", with: "caches=2"},
	{set: "compact-watch-retry=100ms", scenario: "lone-compactor"},
	// Clients.
	{set: "as-consistent=false", scenario: "stale-list", judged: true},
	{set: "move=true", scenario: "paged-lists"},
	{set: "move-pages=true", scenario: "paged-lists", with: "caches=2"},
	{set: "take-rests=true", scenario: "compacted-pages", with: "take-rests=false"},
	{set: "apart=true", scenario: "namespaces"},
	{set: "list-within=1s", scenario: "watch-list-six-seconds", judged: true},
	{set: "settle=1ms", scenario: "guard-cascade-limited", judged: true},
	{set: "drawn-labels=true", scenario: "selected-lists"},
	{set: "drawn-terms=true", scenario: "selected-lists"},
	// Informers.
	{set: "informer-list=watch-list", scenario: "informer-resume"},
	{set: "informer-not-older=true", scenario: "informer-relist-loop"},
	{set: "informer-watch-timeout=20s", scenario: "informer-quiet-resource"},
	{set: "informer-queue=real-fifo", scenario: "informer-moves"},
	{set: "page-end=fails", scenario: "streamed-lists"},
	{set: "controller-consistency=get", scenario: "informer-controller"},
	{set: "object-bytes=10", scenario: "informer-memory", judged: true},
	// Faults.
	{set: "priority-requests=lease-revoke", scenario: "lease-times", with: "overloads=2"},
	{set: "failovers=1", scenario: "consistent-list", with: "members=3.6.16"},
	{set: "downgrade=3.5.7", scenario: "consistent-list"},
	// Clock.
	{set: "latency=true", scenario: "defragmented-member", judged: true},
	{set: "mode=untimed", scenario: "recovery"},
	// etcd. What is not here is what the release of the scenario does.
	{set: "progress-echo=none", scenario: "lagging-member", with: "cache=progress-echo"},
	{set: "sync-history=read-anew", scenario: "kept-history", with: "etcd=3.6.5"},
	{set: "sync-history=kept", scenario: "kept-history", with: "etcd=3.5.23"},
	{set: "compacted-unsynced=falls-through", scenario: "compacted-watch", with: "etcd=3.6.16"},
	{set: "compacted-capped=left-unsynced", scenario: "any-etcd-requests"},
	{set: "compact-recreated=kept", scenario: "rewritten-keys", with: "etcd=3.6.16"},
	{set: "keys-only=from-index", scenario: "rewritten-keys", with: "etcd=3.6.16,drawn-clients=4,drawn-requests=8"},
	{set: "physical-compaction=after-first-batch", scenario: "physical-compactions"},
	{set: "compaction-in-range=goes-on", scenario: "compaction-in-range"},
	{set: "restore-tombstone=not-indexed", scenario: "resumed-compaction", with: "etcd=3.6.16"},
	{set: "restore-revision=from-scheduled-compaction", scenario: "crash-in-compaction", with: "etcd=3.5.13"},
	{set: "election-timeout=2s", scenario: "long-without-leader"},
	{set: "leaderless-streams=kept", scenario: "long-without-leader"},
	{set: "lease-time-left=of-any", scenario: "leases-without-leader", with: "etcd=3.6.16"},
	{set: "needless-ranges=removed", scenario: "lagging-reads"},
	{set: "read-index-ids=reused", scenario: "follower-reads"},
	{set: "backup-restore=bumped", scenario: "restored-backup", with: "backup-restore=plain"},
	{set: "lease-renewal-waits=unknown", scenario: "leases", with: "etcd=3.6.16"},
	{set: "lease-renewals=answered-only", scenario: "lease-times"},
	{set: "promoted-leases=forgotten", scenario: "lease-times"},
	{set: "elided-ticks=stream", scenario: "quiet-watch"},
	{set: "elided-ticks=for-good", scenario: "quiet-again"},
	{set: "range-stream=unimplemented", scenario: "streamed-start"},
	// The client library.
	{set: "reopen-backoff-max=2ms", scenario: "pauses"},
	{set: "retry-wait=100ms", scenario: "etcd-errors"},
	{set: "etcd-range-stream=disabled", scenario: "streamed-start"},
	{set: "undecodable=w1.2", scenario: "concurrent-decoding", with: "client-kv=true"},
	// The cache.
	{set: "write-state=cache", scenario: "object-writes"},
	{set: "continued-limit=counts", scenario: "any-requests", with: "cache=v0.37.2,drawn-readers=8,drawn-requests=24,items=8"},
	{set: "watch-history=until-compacted", scenario: "compacted-watch-history", with: "watch-history=until-full"},
	{set: "mark-consistent=unlocked", scenario: "detectors", with: "cache=kep-4988"},
	{set: "check-by=etcd-hash", scenario: "detectors"},
	{set: "passed-check=drops-snapshots", scenario: "kept-pages", with: "cache=v0.37.2,pagination=first-page"},
	{set: "not-found-rv=none", scenario: "object-writes", judged: true},
	{set: "accumulate-period=100ms", scenario: "recovery", with: "cache=accumulated-reads"},
	{set: "notify-within=20ms", scenario: "recovery", with: "notify-detection=on,notify=150ms"},
	{set: "slow-wait=10ms", scenario: "recovery", with: "cache=dynamic-fallback"},
	{set: "kept-for=5s", scenario: "kept-pages"},
	{set: "compaction-poll=1s", scenario: "compacted-history", with: "compaction-notice=polled"},
	{set: "bookmark-period=20s", scenario: "bookmarks"},
	{set: "close-enough-timeout=1s", scenario: "watch-list-behind", with: "initial-events-buffer=close-enough"},
	{set: "notified-within=1s", scenario: "watch-list-without-progress", with: "watch-list-detection=notified"},
	{set: "ring-max=3", scenario: "shrinking-history"},
	{set: "measure-period=1ms", scenario: "informer-memory", with: "informer-list=list-watch,network=200ms,answers-limit=1"},
	{set: "fallback-seats=at-etcd", scenario: "seats-fallback"},
	{set: "seats-by=size", scenario: "memory-seats", with: "seats-by=objects"},
	{set: "object-size=1000", scenario: "memory-seats", with: "seats-by=size"},
	{set: "library-progress=later", scenario: "library-elsewhere"},
	{set: "shards=ignored", scenario: "informer-shards"},
	{set: "library-watchers=ended", scenario: "library-compaction"},
	{set: "catch-up-watchers=1", scenario: "stalled-watches", with: "slow-watchers=groups"},
	{set: "catch-up-units=130", scenario: "stalled-watches", with: "slow-watchers=groups"},
	{set: "catch-up-pushes=1", scenario: "stalled-watches", with: "slow-watchers=groups"},
	{set: "list-cap=100", scenario: "watch-list-behind", with: "initial-events-buffer=cap"},
}

// The program of this list is the simulated server, which masks of races do not reach as a program.
func init() {
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		if name != "simulated@v3.5.7" {
			return nil
		}
		return &testbed.Program{Name: name, Version: "3.5.7", New: func(s *etcd.Server) testbed.ProgramNode { return s }}
	})
}

// activeSchedules are the sizes of the campaigns in which a difference is looked for. A value without a row has the
// first two.
var activeSchedules = []uint64{3, 30, 300, 3000}

// TestEachValueOfEachOptionIsActive: each value of a choice but the one that the others are compared with, each design,
// and some value of each other option makes a difference. Of bugs TestKnownBugsAreDetected shows it.
func TestEachValueOfEachOptionIsActive(t *testing.T) {
	rows, rowOf, tests := map[string]*active{}, map[string]bool{}, map[string]func(*testing.T){}
	for i := range activeValues {
		a := &activeValues[i]
		require.NotContains(t, rows, a.set, "two rows")
		name, _, _ := strings.Cut(a.set, "=")
		rows[a.set], rowOf[name], tests[a.set] = a, true, a.check
	}
	compared, err := testbed.FindScenario("any-requests")
	require.NoError(t, err)
	// What it has of a choice is what the other values are compared with.
	has := compared.Params.Expand()
	for _, o := range testbed.Describe() {
		each, any := valuesOf(o)
		than := has[slices.IndexFunc(has, func(s option.Setting) bool { return s.Name == o.Name })].Value
		if len(each) > 0 {
			than = cmp.Or(than, each[0])
		}
		unlisted := slices.DeleteFunc(slices.Clone(each), func(v string) bool { return rows[o.Name+"="+v] != nil })
		for _, v := range unlisted {
			if v != than && len(unlisted) > 1 {
				tests[o.Name+"="+v] = func(t *testing.T) { isActive(t, o, than, v) }
			}
		}
		// Only whole servers have members, and the module upstream has those (TestCatalogueOnWholeServers).
		if len(each) == 0 && !rowOf[o.Name] && o.Name != "bugs" && o.Name != "etcd-members" {
			tests[o.Name] = func(t *testing.T) { isActive(t, o, than, any...) }
		}
		delete(rowOf, o.Name)
	}
	assert.Empty(t, rowOf, "activeValues has options that there are not")
	for i, name := range slices.Sorted(maps.Keys(tests)) {
		if i%testsize.Of(1, 12) == 0 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tests[name](t)
			})
		}
	}
}

// valuesOf are the values of an option each of which is to be active, or of which any is.
func valuesOf(o testbed.Described) (each, any []string) {
	for _, v := range o.Values {
		if !v.IsBug {
			each = append(each, v.Name)
		}
	}
	if o.Name == "cache" {
		for _, d := range cache.Designs() {
			each = append(each, d.Name)
		}
	}
	for _, a := range amounts {
		if strings.HasPrefix(o.Form, a.form) {
			any = strings.Fields(a.values)
		}
	}
	return each, any
}

// isActive looks for a difference in the scenarios that set the option, and in the usual ones. A choice is compared
// with a value of it, another option with what the scenario says.
func isActive(t *testing.T, o testbed.Described, than string, values ...string) {
	var names []string
	for _, sc := range testbed.Scenarios() {
		if sc.Params.GivenValue(o.Name) != "" {
			names = append(names, sc.Name)
		}
	}
	names = append(names, usual...)
	for _, n := range activeSchedules[:2] {
		for _, name := range names {
			sc, err := testbed.FindScenario(name)
			require.NoError(t, err)
			without := sc.Params
			if len(o.Values) > 0 {
				without, err = without.With(o.Name, than)
				require.NoError(t, err)
			}
			before := compared(t, sc, without, n)
			for _, v := range values {
				set := without
				if set.Set(o.Name, v) != nil {
					continue
				}
				if _, err := sc.Subjects(set); err == nil && before.Hash != compared(t, sc, set, n).Hash {
					return
				}
			}
		}
	}
	assert.Fail(t, "not active", "%s: %s makes no difference in %v: where one does is a row of activeValues", o.Name, values, names)
}

func (a *active) check(t *testing.T) {
	sc, err := testbed.FindScenario(a.scenario)
	require.NoError(t, err)
	var settings []string
	if a.with != "" {
		settings = strings.Split(a.with, ",")
	}
	name, _, _ := strings.Cut(a.set, "=")
	without, set := campaigns.With(t, sc, settings...), campaigns.With(t, sc, append(settings, a.set)...)
	a.comparesWithDefault(t, name, &without)
	for _, n := range activeSchedules {
		before, after := compared(t, sc, without, n), compared(t, sc, set, n)
		if !a.judged && before.Hash != after.Hash {
			return
		}
		if a.judged {
			require.Equal(t, before.Hash, after.Hash, "%s changes runs: it is about more than judges", a.set)
			if !reflect.DeepEqual(before.Properties, after.Properties) || !reflect.DeepEqual(before.Metrics, after.Metrics) {
				return
			}
		}
	}
	assert.Fail(t, "not active", "%s makes no difference in %s %s, in %d schedules", a.set, a.scenario, a.with, activeSchedules[len(activeSchedules)-1])
}

// comparesWithDefault: of an option of the cache it is the default that the value is
// compared with. Releases of etcd and scenarios have no common default of other options.
func (a *active) comparesWithDefault(t *testing.T, name string, p *testbed.Params) {
	t.Helper()
	n, err := p.Nodes()
	require.NoError(t, err)
	for _, o := range testbed.Describe() {
		if o.Name == name && o.Node == "cache" && len(o.Values) > 0 {
			require.Equal(t, o.Values[0].Name, n.Value(name), "%s is to be compared with the default", a.set)
		}
	}
}

func compared(t *testing.T, sc *testbed.Scenario, p testbed.Params, seeds uint64) *campaign.Result {
	t.Helper()
	c, _ := campaignsCompared.LoadOrStore(fmt.Sprint(sc.Name, seeds, p.Expand()), sync.OnceValue(func() *campaign.Result {
		return campaigns.Explored(t, sc, p, 0, seeds)
	}))
	return c.(func() *campaign.Result)()
}

// campaignsCompared are those that were run. That of a scenario at its defaults is compared with many.
var campaignsCompared sync.Map
