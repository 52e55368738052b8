package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
)

// Each scenario of informers comes to what it is about.
func TestInformersComeToWhatTheyAreAbout(t *testing.T) {
	for _, c := range []struct {
		scenario   *Scenario
		change     func(*Params)
		situations []string
	}{
		{informerColdStart, nil, []string{
			"request sent again after Retry-After", "request sent again too often", "initial events ended by a bookmark",
			"stream closed before the end of its initial events", "list in place of a stream",
		}},
		{informerColdStart, func(p *Params) { p.InformerList = listWatch }, []string{"list of several pages"}},
		{informerColdStart, func(p *Params) { p.Bugs, p.Notify = []string{"initial-events-end=timer"}, 5*time.Second }, []string{
			"change among the initial events",
		}},
		{informerResume, nil, []string{"watch resumed", "position moved by a bookmark", "list and watch again"}},
		{informerExpired, nil, []string{"watch ended by 410", "newest list after a refused resourceVersion", "watch resumed"}},
		{informerExpired, func(p *Params) { p.InformerList = watchList }, []string{
			"watch ended by 410", "newest stream after a refused resourceVersion", "initial events ended by a bookmark",
		}},
		{informerMoves, nil, []string{"restarted", "moved to another API server", "initial events ended by a bookmark"}},
		{informerTimeTravel, nil, []string{"restarted", "moved to another API server"}},
		{informerFallback, nil, []string{"list in place of a stream", "restarted", "moved to another API server"}},
		{informerOutages, nil, []string{
			"watch ended by its timeout", "watch resumed", "watch ended by 410", "watch closed at once",
			"request sent again after Retry-After", "restarted", "moved to another API server",
		}},
		{informerDetector, nil, []string{"streamed list compared and equal", "streamed list compared and different"}},
	} {
		t.Run(c.scenario.Name, func(t *testing.T) {
			t.Parallel()
			p := c.scenario.Params
			if c.change != nil {
				c.change(&p)
			}
			seen := map[string]uint64{}
			for _, s := range explored(t, c.scenario, p, 0, 1000).Situations {
				seen[s.Situation.String()] = s.Schedules
			}
			for _, s := range c.situations {
				assert.NotZero(t, seen["informer: "+s], s)
			}
			if c.scenario == informerFallback {
				assert.Zero(t, seen["informer: initial events ended by a bookmark"])
			}
		})
	}
}

// What heals the loop of relists: a stream, whose resourceVersion is the least
// that is wanted; a first list that fits one page; a list that says what it
// wants; the flow of KEP-3157's appendix; or time, once etcd compacts.
func TestRelistLoopHeals(t *testing.T) {
	for _, change := range []func(*Params){
		func(p *Params) { p.InformerList = watchList },
		func(p *Params) { p.InformerPage = 0 },
		func(p *Params) { p.InformerNotOlder = true },
		func(p *Params) { p.InformerNewest = true },
		func(p *Params) { p.Compactors, p.Horizon = true, 15*time.Minute },
	} {
		p := informerRelistLoop.Params
		change(&p)
		for _, f := range explored(t, informerRelistLoop, p, 0, 300).Properties {
			assert.Equal(t, model.Holds, f.Verdict, f.Name)
		}
	}
}

// A WatchList of the newest state may not end before what etcd had when it was
// asked for; one that names a resourceVersion may not end before that.
func TestInitialEventsAreFresh(t *testing.T) {
	for _, c := range []struct {
		requested, asked, version int64
		label                     string
	}{
		{wire.Unset, 7, 7, ""},
		{wire.Unset, 7, 9, ""},
		{wire.Unset, 7, 6, "stale"},
		{0, 7, 3, ""},
		{5, 7, 5, ""},
		{5, 7, 4, "stale"},
	} {
		var j informerJudge
		j.judgeInitialEvents("informer", c.requested, c.asked, c.version, nil)
		f := j.initialEvents.finding(InitialEvents)
		assert.Equal(t, c.label, f.Label, c)
		assert.Equal(t, c.label != "", f.Verdict == model.Violated, c)
		assert.Equal(t, 1, f.Exercised)
	}
	var j informerJudge
	j.judgeInitialEvents("informer", 0, 7, 7, &divergence{want: &model.Item{Key: "a"}})
	require.Equal(t, "missing-item", j.initialEvents.finding(InitialEvents).Label)
}

// A run that was cut off says nothing of an informer that is still on its way.
func TestInformerThatIsStillOnItsWay(t *testing.T) {
	s, err := informerResume.New(informerResume.Params)
	require.NoError(t, err)
	for steps := 1; steps < 80; steps++ {
		r := explore.NewRunner(s, steps)
		c := strategy.Random().New(strategy.Profile{})
		c.Begin(uint64(steps))
		res := r.Run(c)
		for _, f := range res.Findings {
			require.NotEqual(t, model.Violated, f.Verdict, "%s after %d steps: %v", f.Property, steps, f.Why)
		}
	}
}

// Bugs of caches that an informer suffers from are found by what it shows.
func TestInformersSufferFromBugsOfCaches(t *testing.T) {
	for _, c := range []struct {
		bug      string
		scenario *Scenario
		list     string
		property string
		label    string
	}{
		{"kubernetes-49956", informerColdStart, listWatch, InformerSyncs, "behind"},
		{"kubernetes-58545", informerResume, listWatch, InformerMonotonic, "went-back"},
		{"kubernetes-58545", informerResume, watchList, InformerMirrors, "missing-item"},
		{"kubernetes-59848", informerMoves, listWatch, InformerMonotonic, "went-back"},
		{"kubernetes-122805", informerColdStart, watchList, InformerSyncs, "behind"},
		{"etcd-20488", informerResume, listWatch, InformerMirrors, "stale-item"},
		{"version-before-store", informerMoves, watchList, InitialEvents, "stale-item"},
		{"watcher-missing-prevkv", informerColdStart, watchList, InitialEvents, "ghost"},
	} {
		t.Run(c.bug+"/"+c.property, func(t *testing.T) {
			t.Parallel()
			p := c.scenario.Params
			p.Bugs, p.InformerList = []string{c.bug}, c.list
			want := explore.Failure{Property: c.property, Label: c.label}
			var found uint64
			for _, f := range explored(t, c.scenario, p, 0, 1000).Failures {
				if f.Failure == want {
					found = f.Schedules
				}
			}
			t.Logf("%d of 1000 schedules", found)
			assert.NotZero(t, found, want)
		})
	}
}
