package races

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"
)

// Tally is what came of many races.
type Tally struct {
	// Limit is how many states a search may enter, States if it is 0.
	Limit int
	// Keep is the folder that races are kept in which are unknown or unreachable, empty for none.
	Keep string

	Races, Unreachable, Unknown int
	// Moments and States are those of all races, Most the states of one.
	Moments, States, Most int
	// Stories are those of the unreachable races.
	Stories []string
	took    time.Duration
}

func (t *Tally) String() string {
	return fmt.Sprintf("%d races, %d unreachable, %d unknown; %d moments, %d states (%d at most in one), %v",
		t.Races, t.Unreachable, t.Unknown, t.Moments, t.States, t.Most, t.took.Round(time.Millisecond))
}

// Add searches the simulated server of a version for a schedule of the race.
func (t *Tally) Add(race *Race, version string) error {
	began := time.Now()
	result, err := race.In(version, cmp.Or(t.Limit, States))
	if err != nil {
		return err
	}
	t.took += time.Since(began)
	t.Races++
	t.Moments += len(race.Moments)
	t.States += result.States
	t.Most = max(t.Most, result.States)
	switch result.Verdict {
	case Unreachable:
		t.Unreachable++
		t.Stories = append(t.Stories, race.Story(&result))
	case Unknown:
		t.Unknown++
	}
	if t.Keep == "" || result.Verdict == Reached {
		return nil
	}
	return race.Keep(filepath.Join(t.Keep, race.fileName()))
}
