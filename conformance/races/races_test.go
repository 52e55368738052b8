package races_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/watchbed/watchbed/conformance/races"
	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/explore/reach"
)

var (
	count = flag.Int("races", 300, "races to record and compare on each version")
	first = flag.Uint64("races.first", 1, "seed of the first race")
)

// clusters are those that races are recorded on, by what a test calls them. With three
// members a follower may be behind what the leader has answered.
var clusters = []struct {
	name    string
	members int
}{{"alone", 1}, {"follower", 3}}

// What real servers answered to concurrent requests, the simulated ones of the same
// version can answer.
func TestRealRacesAreReachable(t *testing.T) {
	for _, version := range realetcd.Compared() {
		for _, cluster := range clusters {
			t.Run(version+"/"+cluster.name, func(t *testing.T) {
				t.Parallel()
				got := compare(t, record(t, version, cluster.members, *count), version)
				t.Logf("etcd %s, %s: %s", version, cluster.name, got)
				for _, story := range got.stories {
					t.Error(story)
				}
				if got.undecided*100 > got.races {
					t.Errorf("%d of %d races are undecided, more than 1 %%: raise the limit of states", got.undecided, got.races)
				}
			})
		}
	}
}

// An old server does what a new one cannot, and the other way round.
func TestWrongVersionsAreNoticed(t *testing.T) {
	const enough = 10
	versions := realetcd.Versions()
	oldest, newest := versions[0], versions[len(versions)-1]
	for _, pair := range [][2]string{{oldest, newest}, {newest, oldest}} {
		for _, cluster := range clusters {
			t.Run(pair[0]+" as "+pair[1]+"/"+cluster.name, func(t *testing.T) {
				t.Parallel()
				got := compare(t, record(t, pair[0], cluster.members, *count/3), pair[1])
				t.Logf("etcd %s as %s, %s: %s", pair[0], pair[1], cluster.name, got)
				if got.unreachable*100 < enough*got.races {
					t.Errorf("%d of %d races were not possible, want %d %%", got.unreachable, got.races, enough)
				}
			})
		}
	}
}

func record(t *testing.T, version string, members, n int) []*races.Race {
	t.Helper()
	r, err := races.NewRecorder(realetcd.StartClusterForTest(t, version, members))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*races.Race
	for i := range n {
		race, err := r.Record(t.Context(), *first+uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, race)
	}
	return all
}

// tally is what came of many races.
type tally struct {
	races, unreachable, undecided int
	// moments and states are those of all races, most the states of one.
	moments, states, most int
	took                  time.Duration
	stories               []string
}

func (t *tally) String() string {
	return fmt.Sprintf("%d races, %d unreachable, %d undecided; %d moments, %d states (%d at most in one), %v",
		t.races, t.unreachable, t.undecided, t.moments, t.states, t.most, t.took.Round(time.Millisecond))
}

func compare(t *testing.T, all []*races.Race, version string) *tally {
	t.Helper()
	began := time.Now()
	got := &tally{races: len(all)}
	for _, race := range all {
		result, err := race.In(version)
		if err != nil {
			t.Fatal(err)
		}
		got.moments += len(race.Moments)
		got.states += result.States
		got.most = max(got.most, result.States)
		switch result.Verdict {
		case reach.Unreachable:
			got.unreachable++
			got.stories = append(got.stories, race.Story(&result))
		case reach.Undecided:
			got.undecided++
			t.Log(race.Story(&result))
		}
	}
	got.took = time.Since(began)
	return got
}
