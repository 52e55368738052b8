package races_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/watchbed/watchbed/conformance/races"
	"github.com/watchbed/watchbed/conformance/realetcd"
)

var (
	count = flag.Int("races", 300, "races to record and compare on each version")
	first = flag.Uint64("races.first", 1, "seed of the first race")
	keep  = flag.String("races.keep", "", "folder to keep the races in that are unknown or not reachable")
	again = flag.String("races.again", "", "folder of kept races that TestKeptRacesAreReachable searches again, without a server")
	limit = flag.Int("races.states", races.States, "states that the search for one race may enter")
)

// clusters are those that races are recorded on, by what a test calls them.
var clusters = []struct {
	name    string
	members int
}{{"alone", 1}, {"follower", races.Members}}

// What real servers answered to concurrent requests, the simulated ones of the same
// version can answer.
func TestRealRacesAreReachable(t *testing.T) {
	for _, version := range realetcd.Compared() {
		for _, cluster := range clusters {
			t.Run(version+"/"+cluster.name, func(t *testing.T) {
				t.Parallel()
				got := compare(t, record(t, version, cluster.members, *count), version)
				t.Logf("etcd %s, %s: %s", version, cluster.name, got)
				for _, story := range got.Stories {
					t.Error(story)
				}
				if got.Unknown*100 > got.Races {
					t.Errorf("%d of %d races are unknown, more than 1 %%: -races.keep FOLDER keeps them, and -races.again FOLDER -races.states N searches them again", got.Unknown, got.Races)
				}
			})
		}
	}
}

// Races that were kept are searched again:
//
//	go test ./races -run TestKeptRacesAreReachable -races.again FOLDER -races.states 4000000 -v
func TestKeptRacesAreReachable(t *testing.T) {
	if *again == "" {
		t.Skip("no -races.again")
	}
	files, err := filepath.Glob(filepath.Join(*again, "*.race"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no race is kept there (%v)", *again, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			race, err := races.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			result, err := race.In(race.Version, *limit)
			if err != nil {
				t.Fatal(err)
			}
			if t.Log(result.Verdict, "after", result.States, "states"); result.Verdict != races.Reached {
				t.Error(race.Story(&result))
			}
		})
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
				if got.Unreachable*100 < enough*got.Races {
					t.Errorf("%d of %d races were not possible, want %d %%", got.Unreachable, got.Races, enough)
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

func compare(t *testing.T, all []*races.Race, version string) *races.Tally {
	t.Helper()
	got := &races.Tally{Limit: *limit, Keep: *keep}
	for _, race := range all {
		if err := got.Add(race, version); err != nil {
			t.Fatal(err)
		}
	}
	return got
}
