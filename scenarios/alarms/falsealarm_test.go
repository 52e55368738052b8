package alarms

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// defaultAlarmSchedules reach every coverage point but those of seldom, which
// schedulesOfEveryCoveragePoint reach too.
const (
	defaultAlarmSchedules         = 40_000
	schedulesOfEveryCoveragePoint = 1_000_000
)

var alarmSchedules = flag.Uint64("alarm.schedules", 0, "schedules in search of false alarms, over all scenarios, fixed versions and designs (0: 40,000, or fewer unless tests have their full size)")

// elsewhere are the coverage points that need not come about on fixed versions, by
// the reason.
var elsewhere = map[string][]string{
	"scenarios that are not run for so long: defragmented-member, informer-handlers-start": {
		"etcd: read waits for a defragmentation",
		"etcd3: an object on a watch can never be decoded", "etcd3: an object that is read can never be decoded",
		"shared informer: batch waits for a handler that is added", "shared informer: handler added before the listeners have started",
	},
	"only a version or design with that bug gets there": {
		"etcd: progress deferred",
		"etcd: progress request ignored, one is deferred",
		"etcd: deferred progress sent",
		"etcd: progress request not known",
		"etcd: watcher cancelled for compaction from a subset stays unsynced",
		"etcd: victim while progress is deferred",
		"etcd: watch created while progress is deferred",
		"etcd: unsynced watcher synced without a word while progress is deferred",
		"etcd: progress overtook events",
		"etcd: progress answered with a watcher unsynced",
		"etcd: compacted watcher falls through to synced",
		"etcd: a write came between reading the revision and registering the watch",
		"etcd: sync moves a watch back from its future revision",
		"etcd: watch from a negative revision sent history that was kept",
		"etcd: revision goes back",
		"etcd: restart skips an entry that was not applied",
		"etcd: second answer to what was committed lets later reads go",
		"etcd: compaction removes the value of a key that its revision deletes and puts again",
		"cache: resourceVersion goes back in time",
		"cache: write finds the object of its conflict unchanged in the cache",
		"etcd3: a deletion without an object is skipped",
	},
	"v0.38.0-alpha.2 alone gets there": {
		"cache: snapshots dropped by a consistency check that passed",
	},
	"watches are slower than any here, which stalled-watches and its kin have": {
		"cache: event missed by a watcher whose channel is full",
		"cache: watcher sends what it missed from the history",
		"cache: watcher ended by a 410 because the history lost what it missed",
		"cache: pass over unsynced watchers",
		"cache: more unsynced watchers than a pass serves",
		"cache: unsynced watchers share one look at the history",
		"cache: pass ends before the end of the history",
		"cache: unsynced watcher synced again",
	},
	"an etcd that is too old, does not say its version, or changes, which TestGuardsGoThroughEveryBranch has": {
		"cache: etcd endpoint too old",
		"cache: consistent reads were supported until another endpoint answered",
		"cache: ConsistentListFromCache disabled, etcd too old",
		"cache: API server does not start, etcd too old",
		"cache: request out of time before etcd was asked",
		"etcd: version of a member that is down asked for",
		"etcd: another member serves",
	},
	"an option that is off in every one of these designs": {
		"cache: consistent list throttled after the timeout",
		"cache: write throttled, since the cache is not fresh in time",
	},
	"a client that asks for it is not in the catalogue; tests of the packages are": {
		"clientv3: a fragment waits for the next",
		"clientv3: fragments are merged",
		"clientv3: the stream to etcd breaks between fragments",
		"clientv3: a response is lost between another's fragments",
		"clientv3: a watch of the present notes the revision of its creation",
	},
	"a fault that is not in the catalogue: etcd stops in order, or stays away": {
		"etcd3: resultChan is closed without an error",
		"cache: watch closed at once",
		"cache: watch started again after it closed",
	},
	"an option that is off in these designs; TestAlternatives and the tests of the packages have it": {
		"cache: list that does not fit one page sent to etcd",
		"cache: list of one object",
		"cache: list of keys alone",
		"cache: revision read by a count",
		"cache: revision read by a range without objects",
		"cache: progress requested once for a read",
		"cache: progress request echoed",
		"cache: list with a limit answered whole",
		"cache: revision read for several reads",
		"cache: consistent list sent to etcd, no recent progress notification",
		"cache: consistent list sent to etcd because the cache was slow",
		"cache: channel of a watcher that sends initial events grows",
		"cache: channel of a watcher that sends initial events has reached its cap",
		"cache: event sent between initial events",
		"cache: event takes the place of an initial event",
		"cache: watch sent to another API server because the cache is too far behind",
		"cache: key kept in place of an object in a watcher's channel",
		"cache: object of a kept key is newer than its event",
		"cache: object of a kept key is gone",
		"cache: event in a watcher's channel made obsolete by the next one of its object",
		"cache: watch with initial events refused, no progress is heard of",
		"cache: memory of answers measured",
		"cache: list refused because the memory of answers is above its limit",
		"flow control: list refused, too few seats for what it costs at etcd",
		"controller: acts on the answer to a GET, since its own write is not in the store",
		"informer: initial events not waited for any longer",
		"cache: process ended by a failed consistency check",
	},
	"the scenarios with a version check have that which was shipped; TestGuardsGoThroughEveryBranch has the other": {
		"cache: member behind a stream of the watch asked for its version",
		"cache: progress notification of an unknown member dropped",
	},
	"an option without a bound in these designs; TestKeptPagesAreBoundedInBytes sets one": {},
	"it violates stays-up": {
		"cache: process killed because it is out of memory",
	},
	"a planted loss, after which something may be violated": {
		"informer: streamed list compared and different",
	},
	"informers that compare, or meet an API server without snapshots": {
		"informer: resourceVersion goes back in time",
		"informer: change among the initial events",
		"informer: bookmark before the end of the initial events",
	},
}

// seldom are the coverage points that the default number of schedules reaches a few
// times or not at all.
var seldom = []string{
	"cache: consistency check by a hash of etcd",
	"cache: snapshots switched off by a failed consistency check",
	"cache: snapshot of an event that was on its way when snapshots were switched off",
	"cache: snapshot gone while a list waited",
	"cache: read served while not ready",
	"cache: creation finds no object after its conflict",
	"cache: stopped watcher is to be drained before its end",
	"cache: consistency check failed",
	"clientv3: a watch is requested of a stream that just closed, and opens another",
	"clientv3: a progress request fails because its stream ended",
	"clientv3: run waits for ever for a watch that etcd refused to create",
	"etcd3: an error of a stream is taken for a chunk behind the page",
	"etcd3: an error waits for room in resultChan",
	"etcd: revocation of an expired lease refused because too many writes are not applied",
	"etcd: response fragmented",
	"informer: list whose second page expired",
	"informer: list ended by its timeout",
	"informer: list for the comparison refused",
}

// schedulesOfEveryProperty is how many schedules of one scenario, version and design
// put each of its properties to the test. With fewer, all versions and designs
// together have to.
const schedulesOfEveryProperty = 500

// TestNoFalseAlarm runs every scenario that is expected to hold, on fixed
// versions and with the designs that trust progress: none may be violated, none
// vacuous, and between them they must go through every branch. Claims that are known to be
// violated rarely are not judged, the others of their scenario are. Where something is
// planted that may show, nothing would be a false alarm.
func TestNoFalseAlarm(t *testing.T) {
	type subject struct {
		sc *testbed.Scenario
		p  testbed.Params
		// known are the claims that are rarely violated.
		known []string
	}
	var subjects []subject
	one := oneIn()
	for i, version := range fixedVersions {
		for j, design := range fixedDesigns {
			for k, sc := range testbed.Scenarios() {
				if ((i+j)%len(fixedDesigns)+len(fixedDesigns)*i+k)%one != 0 {
					continue
				}
				p := sc.Params
				p.Etcd, p.Cache = version, design
				if design == "v0.37.2" {
					// Its scenarios are those of TestGuardsGoThroughEveryBranch.
					require.NoError(t, p.Set("version-check", "none"))
				}
				if rarely, all := rarelyViolated(sc, &p); all {
					subjects = append(subjects, subject{sc, p, rarely})
				}
			}
		}
	}
	times := map[sim.CoveragePoint]uint64{}
	var schedules, choices uint64
	exercised := map[string]uint64{}
	each := alarms() / uint64(len(subjects))
	for i, s := range subjects {
		c := campaigns.Explored(t, s.sc, s.p, uint64(i)*each, each)
		schedules += c.Schedules
		choices += c.Stats.Choices
		assert.Zero(t, c.Truncated, "%s on %s", s.sc.Name, s.p.Etcd)
		for _, f := range c.Properties {
			if !slices.Contains(s.known, f.Name) {
				assert.Zero(t, f.Violations, "%s of %s on %s with %s", f.Name, s.sc.Name, s.p.Etcd, s.p.Cache)
			}
			exercised[f.Name+" of "+s.sc.Name] += f.Exercised
			if each >= schedulesOfEveryProperty {
				assert.NotZero(t, f.Exercised, "%s of %s on %s with %s", f.Name, s.sc.Name, s.p.Etcd, s.p.Cache)
			}
		}
		for _, coveragePoint := range c.CoveragePoints {
			times[coveragePoint.CoveragePoint] += coveragePoint.Times
		}
	}
	for _, name := range slices.Sorted(maps.Keys(exercised)) {
		if alarms() < defaultAlarmSchedules {
			break
		}
		assert.NotZero(t, exercised[name], "%s in all versions and designs", name)
	}
	t.Logf("%d schedules of %d subjects, %d choices", schedules, len(subjects), choices)
	judgeCoverage(t, times)
}

// rarelyViolated are the claims that are known to be violated rarely, and whether those are all that are
// known to be violated.
func rarelyViolated(sc *testbed.Scenario, p *testbed.Params) (names []string, all bool) {
	for _, v := range known.Violations(sc, p) {
		if !v.Rarely {
			return nil, false
		}
		names = append(names, v.Property.Name)
	}
	return names, true
}

// fixedVersions and fixedDesigns are those with which nothing is known to be violated in
// most scenarios.
var (
	fixedVersions = etcd.Newest()[1:]
	fixedDesigns  = []string{"kep-2340", "kep-2340-fallback", "kep-6404", "v0.37.2"}
)

// alarms is how many schedules there are in search of false alarms.
func alarms() uint64 { return testsize.Flag(*alarmSchedules, defaultAlarmSchedules, 3_000) }

// oneIn says of how many pairs of a version and a design a scenario runs on one: on each of
// them at full size, else on so few that it runs on each version and with each design
// once, or on a single pair, which is another one for the next scenario.
func oneIn() int {
	if *alarmSchedules != 0 {
		return 1
	}
	return testsize.Of(1, 8)
}

// judgeCoverage wants every coverage point at least once, unless there is a reason, or
// there were too few schedules for it. It names those that came about less often
// than a thousand times.
func judgeCoverage(t *testing.T, times map[sim.CoveragePoint]uint64) {
	var excused, known []string
	for _, names := range elsewhere {
		excused = append(excused, names...)
	}
	all, often := 0, 0
	for _, s := range sim.CoveragePoints() {
		name := s.String()
		known = append(known, name)
		if strings.HasPrefix(name, "etcd cache: ") {
			// The design etcd-cache is none of the fixed ones.
			continue
		}
		if slices.Contains(excused, name) {
			assert.Zero(t, times[s], "%q comes about after all: it needs no excuse", name)
			continue
		}
		all++
		if times[s] >= 1000 {
			often++
			continue
		}
		t.Logf("%7d times: %s", times[s], name)
		enough := uint64(defaultAlarmSchedules)
		if slices.Contains(seldom, name) {
			enough = schedulesOfEveryCoveragePoint
		}
		if alarms() >= enough {
			assert.NotZero(t, times[s], name)
		}
	}
	assert.Subset(t, known, excused)
	assert.Subset(t, known, seldom)
	t.Logf("%d of %d coverage points at least 1000 times; %d excused", often, all, len(excused))
}

// TestRewatchHoldsWithTheRaceMasked: what is left of #15220 is the one thing wrong in
// released versions. With the race masked, as in all other scenarios, the
// same schedules hold.
func TestRewatchHoldsWithTheRaceMasked(t *testing.T) {
	p := scenarios.Rewatch.Params
	released := campaigns.Explored(t, scenarios.Rewatch, p, 0, alarms()/10)
	assert.NotEmpty(t, released.Failures)
	p.Unmask = nil
	inOrder := campaigns.Explored(t, scenarios.Rewatch, p, 0, alarms()/10)
	assert.Equal(t, []campaign.FailureTally(nil), inOrder.Failures)
}

// TestHandlersSyncThoughTheStoreGoesBack: a stale LIST takes the store of an informer behind its first one. A handler
// that was told of the first list, or of all that there was when it was added, has rightly synced.
func TestHandlersSyncThoughTheStoreGoesBack(t *testing.T) {
	p, err := informers.HandlersRelist.Params.With("cache", "stale")
	require.NoError(t, err)
	violated := campaigns.Violated(campaigns.Explored(t, informers.HandlersRelist, p, 0, 20_000))
	assert.Equal(t, []string{"informer-monotonic"}, violated)
}
