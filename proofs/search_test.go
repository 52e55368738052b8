package proofs_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
)

// A follower may apply a write before the leader does. A list that shows the write is right.
func TestAnswerOfAFollowerAheadIsNoViolation(t *testing.T) {
	sc, p := withSettings(t, "lagging-member", one+" noise=0 noise-writes=0 keys=1 breaks=0 restarts=0")
	found, _ := search(t, sc, p, 1, testsize.Of(30_000, 5_000))
	require.Equal(t, prove.Unknown, found.Verdict, "%+v", found.Failures)
	require.Positive(t, found.Checked["linearizable"])
}

// What clients recorded is judged where nothing more can happen, also if none of them has taken a step.
func TestRestWithoutAClient(t *testing.T) {
	sc, p := withSettings(t, "requests-at-rest", "writers=0 writes=0 noise=0 noise-writes=0 history=0 breaks=0 restarts=1 keys=1 items=1 readers=0 reads=0"+
		" drawn-readers=0 drawn-requests=0 to-rest=true")
	found, _ := search(t, only(sc, "nothing-left", "linearizable-data"), p, 1, 3_000)
	require.Equal(t, prove.Vacuous, found.Verdict)
	require.Zero(t, found.Checked["linearizable-data"])
	require.Positive(t, found.Checked["nothing-left"])
}

// A search goes on once from states with one fingerprint, and ends with an error if the same steps lead to others. What
// a node holds two equal connections for is in its fingerprint by their order (sim.Connected).
func TestStatesWithOneFingerprintGoOnAlike(t *testing.T) {
	const few = " writers=0 writes=0 deletes=false noise=0 noise-writes=0 "
	for scenario, settings := range map[string]string{
		// Two Ranges with one text wait in etcd, each on behalf of another reader.
		"issue-15220": "etcd=3.6.16 writers=0 readers=2 reads=1",
		// Two wait in clientv3.
		"errors-at-rest": "etcd=3.6.16 cache=kep-2340 writers=0 writes=0 deletes=false readers=2 reads=1 watchers=0 keys=1 items=1 list-watchers=0" +
			" list-rounds=0 call-breaks=0 client-kv=true leave=0 drawn-watchers=0 drawn-requests=0 resources=1 client-writes=false leader-losses=0" +
			" stream-ends=0 breaks=0 recreations=0 at-rest=true timeouts=0 leader-changes=0",
		// An informer has two watches with one text, and one of them has the broken connection.
		"informer-moves": "etcd=3.5.13 caches=1 informers=1 informer-breaks=1 restarts=0 informer-restarts=0 at-rest=true" + few,
		// Two compactors ask for equal transactions, and a search keeps one of these.
		"rollout-pages": "",
	} {
		t.Run(scenario, func(t *testing.T) {
			sc, p := withSettings(t, scenario, settings)
			_, _, err := proof.Search(t.Context(), sc, p, prove.Config{Bounds: prove.Bounds{TimerBound: 1}, States: 5_000}, "test")
			require.NoError(t, err)
		})
	}
}

// Workers share what they learn of the nodes of a world. Whatever their number, a search comes to the
// same counts, to the same verdict and to the same run of each violation.
func TestResultDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	some := testsize.Of(10_000, 1_000)
	for _, world := range []struct {
		scenario, settings string
		states             int
		verdict            prove.Verdict
	}{
		{"issue-15220", "etcd=3.5.7 cache=single-request writers=1 writes=1 readers=1 reads=1", 0, prove.Violated},
		{"issue-15220", "etcd=3.6.16 writers=1 writes=1 readers=2 reads=1 breaks=1", some, prove.Unknown},
		{"lagging-member", "writers=1 writes=1 readers=1 reads=1 noise=0 noise-writes=0 keys=1 breaks=0 restarts=0", some, prove.Unknown},
		{"quiet-range", "etcd=3.5.12 cache=kep-2340 noise-writes=1", 0, prove.Violated},
	} {
		t.Run(world.scenario+" "+world.settings, func(t *testing.T) {
			sc, p := withSettings(t, world.scenario, world.settings)
			search := func(workers int) (*proof.Proof, string) {
				cfg := prove.Config{Bounds: prove.Bounds{TimerBound: 1}, States: world.states, Workers: workers}
				found, runs, err := proof.Search(t.Context(), sc, p, cfg, "watchbed")
				require.NoError(t, err)
				found.Seconds = 0
				require.Equal(t, world.verdict, found.Verdict)
				if len(runs) == 0 {
					return found, ""
				}
				return found, told(t, sc, found, runs)
			}
			one, story := search(1)
			for _, workers := range []int{2, 5} {
				more, other := search(workers)
				require.Equal(t, one, more)
				require.Equal(t, story, other)
			}
		})
	}
}

// A search of schedules, which go on when the clients are done, sees all coverage points that a search of states sees.
func TestCoveragePointsOfBothEngines(t *testing.T) {
	sc, p := withSettings(t, "issue-15220", "etcd=3.6.16 "+one)
	states, _ := search(t, sc, p, 1, 0)
	require.Contains(t, states.CoveragePoints, "cache: read waits")
	require.NotContains(t, states.CoveragePoints, "etcd: no leader")
	found, _, err := proof.SearchSchedules(t.Context(), sc, p, schedules.Config{TimerBound: 1}, "test")
	require.NoError(t, err)
	require.Subset(t, found.CoveragePoints, states.CoveragePoints)
}

const streamBreaks = "etcd=3.6.16 writers=1 writes=1 readers=1 reads=1 breaks=1"

// What states say that they take is about what the heap grows by.
func TestStatesSayHowMuchMemoryTheyTake(t *testing.T) {
	sc, p := withSettings(t, "issue-15220", streamBreaks)
	s, err := sc.New(p)
	require.NoError(t, err)
	first := sim.NewWorld(s.Options())
	first.OmitNames()
	explore.Begin(s, first, &explore.Combination{})
	before := heap()
	store, stepper, begin, err := newStates(first)
	require.NoError(t, err)
	w := fork(t, first)
	for seed := range uint64(testsize.Of(400, 100)) {
		r, at := rand.New(rand.NewPCG(seed, 1)), begin
		for range 100 {
			enabled := stepper.World(at, w).Enabled()
			if len(enabled) == 0 {
				break
			}
			at = take(stepper, at, enabled[r.IntN(len(enabled))])
		}
	}
	took := heap() - before
	require.Greater(t, took, 2<<20)
	require.InEpsilon(t, took, store.Bytes(), 0.3)
	runtime.KeepAlive(w)
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A search that may take less memory than it would forgets what it has learned, and comes to the same.
func TestSearchTakesNoMoreMemoryThanItMay(t *testing.T) {
	sc, p := withSettings(t, "issue-15220", streamBreaks)
	search := func(limit int) (found *proof.Proof, most int) {
		cfg := prove.Config{Bounds: prove.Bounds{TimerBound: 1}, States: testsize.Of(20_000, 4_000), Workers: 2, Bytes: limit}
		cfg.Progress = func(at prove.Progress) { most = max(most, at.Bytes) }
		found, _, err := proof.Search(t.Context(), sc, p, cfg, "watchbed")
		require.NoError(t, err)
		found.Seconds = 0
		return found, most
	}
	free, most := search(0)
	held, least := search(most / 2)
	require.LessOrEqual(t, least, most/2)
	require.Equal(t, free, held)
}
