package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/workload"
)

// Each story has two files in testdata/stories: the recorded run, and what is
// told of it. The tests replay the one and compare with the other.
var update = flag.Bool("update", false, "tell the stories anew; a recording that does not replay any more is searched for anew")

const storiesDir = "testdata/stories"

// storyCase is a failing run that is told.
type storyCase struct {
	name     string
	scenario *testbed.Scenario
	property *testbed.Property
	// strategy finds it; empty is the default.
	strategy string
	// set are parameters, name=value.
	set []string
	// blame is what the diagnosis has to name as the cause (flip.Blame); empty is
	// that no setting decides.
	blame string
}

// params are those of the case.
func (c *storyCase) params(t *testing.T) (*testbed.Scenario, testbed.Params) {
	t.Helper()
	p := c.scenario.Params
	for _, s := range c.set {
		k, v, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(k, v))
	}
	return c.scenario, p
}

func (c *storyCase) recording() string { return filepath.Join(storiesDir, c.name+".json") }
func (c *storyCase) golden() string    { return filepath.Join(storiesDir, c.name+".txt") }

// opened are the diagnoses of the committed recordings, by the names of the cases. What
// decides is looked for in thousands of runs, so each is made once for all tests.
var opened sync.Map

// open reads and explains the committed recording. The diagnosis is not the test's own:
// it must not change it.
func (c *storyCase) open(t *testing.T) *diagnosis.Diagnosis {
	t.Helper()
	replay, _ := opened.LoadOrStore(c.name, sync.OnceValues(func() (*diagnosis.Diagnosis, error) { return c.replay(t) }))
	d, err := replay.(func() (*diagnosis.Diagnosis, error))()
	if err != nil {
		t.Fatalf("%s is stale: %v\ngo test ./report -run TestStories -update searches for another run", c.recording(), err)
	}
	return d
}

// replay explains the committed recording, if it still is one of the case. The
// recording has the parameters that the case sets, fewer faults, informers and clients and shorter
// waits if that will do, and no others: a parameter that is renamed makes no recording stale.
func (c *storyCase) replay(t *testing.T) (*diagnosis.Diagnosis, error) {
	t.Helper()
	sc, p := c.params(t)
	rec, err := recording.Open(c.recording())
	if err != nil {
		return nil, err
	}
	have, err := recorded.Params(sc, rec)
	if err != nil {
		return nil, err
	}
	for i, want := range p.Expand() {
		if got := have.Expand()[i]; got != want && !mayDiffer(got.Name) {
			return nil, fmt.Errorf("it was recorded with %s=%s, which is %s now", got.Name, got.Value, want.Value)
		}
	}
	for _, f := range rec.Violations() {
		if f.Property == c.property.Name {
			return diagnosis.Of(sc, rec, f)
		}
	}
	return nil, errors.New(c.property.Name + " is not violated in it")
}

// mayDiffer: a recording may have fewer faults, informers, clients and keys than the case, and shorter
// waits.
func mayDiffer(name string) bool {
	_, err := faults.Group.Find(name)
	return err == nil || name == "informers" || name == "keys" || slices.Contains(workload.Amounts(), name) || slices.Contains(diagnosis.Waits(), name)
}

// search finds and shrinks a run, as simrun run would.
func (c *storyCase) search(t *testing.T) *recording.Recording {
	t.Helper()
	sc, p := c.params(t)
	s := strategy.Default()
	if c.strategy != "" {
		var err error
		s, err = strategy.Find(c.strategy)
		require.NoError(t, err)
	}
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	const batch, most = 4_000, 400_000
	for first := uint64(0); first < most; first += batch {
		found, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: s, FirstSeed: first, Seeds: batch, Steps: p.Clock.Steps})
		require.NoError(t, err)
		for _, f := range found.Failures {
			if f.Failure.Property != c.property.Name {
				continue
			}
			finder := &diagnosis.Finder{Scenario: sc, Params: p, Strategy: s, First: first, Last: first + batch - 1, Shrink: true}
			told, err := finder.Find(t.Context(), []campaign.FailureTally{f})
			require.NoError(t, err)
			return told[0].Recording
		}
	}
	t.Fatalf("%s: %s is never violated", c.name, c.property.Name)
	return nil
}

// write commits a recording of the case.
func (c *storyCase) write(t *testing.T, rec *recording.Recording) {
	t.Helper()
	for i := range rec.Findings {
		// The story has a file of its own.
		rec.Findings[i].Why, rec.Findings[i].Story = "", nil
	}
	fewer := fewerOf(&c.scenario.Params, rec)
	rec.Tool, rec.Parameters = "watchbed", []recording.Parameter{}
	for _, s := range c.set {
		k, v, _ := strings.Cut(s, "=")
		rec.Parameters = append(rec.Parameters, recording.Parameter{Name: k, Value: v})
	}
	rec.Parameters = append(rec.Parameters, fewer...)
	var b bytes.Buffer
	_, err := rec.WriteTo(&b)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.recording(), b.Bytes(), 0o644))
}

// fewerOf are the recorded faults, informers and amounts of work in which a recording
// differs from the case.
func fewerOf(p *testbed.Params, rec *recording.Recording) []recording.Parameter {
	var differ []recording.Parameter
	for _, s := range p.Expand() {
		for _, r := range rec.Parameters {
			if r.Name == s.Name && r.Value != s.Value && mayDiffer(r.Name) {
				differ = append(differ, r)
			}
		}
	}
	return differ
}

// follow takes all choices of a recording once more, where nothing but what the
// trace hash covers has changed, such as the values that clients write. The run goes
// on after the last of them, so it is shrunk again. It returns nil if the run is
// another one.
func (c *storyCase) follow(t *testing.T, stale *recording.Recording) *recording.Recording {
	t.Helper()
	sc, _ := c.params(t)
	p, err := recorded.Params(sc, stale)
	require.NoError(t, err)
	system, err := sc.New(p)
	require.NoError(t, err)
	follower, err := recording.NewFollower(stale)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	again, result := recording.Record(runner, follower)
	for _, failure := range stale.Violations() {
		if failure.Property != c.property.Name || result.Find(failure) == nil {
			continue
		}
		small, err := recording.Shrink(t.Context(), runner, again, failure, recording.DefaultShrinkRuns)
		require.NoError(t, err)
		if taken, all := follower.Followed(); taken < all {
			return nil
		}
		same := small.Recording
		same.Scenario, same.Strategy, same.Seed = stale.Scenario, stale.Strategy, stale.Seed
		same.Parameters = recorded.Parameters(&p)
		return same
	}
	return nil
}

// renew makes the recording of the case one that replays: with the parameters of
// the case or its choices if that is enough, else by another search.
func (c *storyCase) renew(t *testing.T) {
	t.Helper()
	if _, err := c.replay(t); err == nil {
		return
	}
	if stale, err := recording.Open(c.recording()); err == nil {
		c.write(t, stale)
		if _, err := c.replay(t); err == nil {
			return
		}
		if again := c.follow(t, stale); again != nil {
			c.write(t, again)
			return
		}
	}
	c.write(t, c.search(t))
}

// diagnosed reports whether the case with this number is diagnosed: each at full size. What
// decides is looked for in thousands of runs; a story without it is told in ten.
func diagnosed(i int) bool { return i%testsize.Of(1, 12, 12) == 0 }

// TestStories tells every committed recording and compares with the golden file, with what
// decides if the case is diagnosed.
func TestStories(t *testing.T) {
	for i, c := range storyCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if *update {
				c.renew(t)
			} else if !diagnosed(i) {
				c.isToldAsBefore(t)
				return
			}
			d := c.open(t)
			var b bytes.Buffer
			require.NoError(t, WriteStory(&b, Terminal{}, d))
			if *update {
				require.NoError(t, os.WriteFile(c.golden(), b.Bytes(), 0o644))
				return
			}
			want, err := os.ReadFile(c.golden())
			require.NoError(t, err)
			require.Equal(t, string(want), b.String(), "go test ./report -run TestStories -update writes it anew")
		})
	}
}

// isToldAsBefore compares the story of a committed recording with the golden file, and not
// what decides.
func (c *storyCase) isToldAsBefore(t *testing.T) {
	t.Helper()
	told, _, _ := tellRecorded(t, c.name)
	d := &diagnosis.Diagnosis{Story: told}
	var b bytes.Buffer
	require.NoError(t, WriteStory(&b, Terminal{}, d))
	text, _, found := strings.Cut(b.String(), Terminal{}.Wrap(d.Cause(), 0))
	require.True(t, found, b.String())
	want, err := os.ReadFile(c.golden())
	require.NoError(t, err)
	require.Equal(t, text, string(want)[:min(len(text), len(want))], "go test ./report -run TestStories -update writes it anew")
}

// TestNoStoryIsLeftOver: each file belongs to a case.
func TestNoStoryIsLeftOver(t *testing.T) {
	known := map[string]bool{}
	for _, c := range storyCases(t) {
		known[c.recording()], known[c.golden()] = true, true
	}
	files, err := filepath.Glob(filepath.Join(storiesDir, "*"))
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, known[f], f)
	}
}

// tellOnly is the story of a committed recording, without its cause.
func tellOnly(t *testing.T, name string) *story.Story {
	t.Helper()
	s, _, _ := tellRecorded(t, name)
	return s
}

// tellRecorded is the story of a committed recording, with its scenario.
func tellRecorded(t *testing.T, name string) (*story.Story, *testbed.Scenario, *recording.Recording) {
	t.Helper()
	for _, c := range storyCases(t) {
		if c.name != name {
			continue
		}
		rec, err := recording.Open(c.recording())
		require.NoError(t, err)
		for _, f := range rec.Violations() {
			if f.Property == c.property.Name {
				s, err := story.Tell(c.scenario, rec, f)
				require.NoError(t, err)
				return s, c.scenario, rec
			}
		}
	}
	t.Fatalf("no story is called %q", name)
	return nil, nil, nil
}

// told is the diagnosis of a committed recording.
func told(t *testing.T, name string) *diagnosis.Diagnosis {
	t.Helper()
	for _, c := range storyCases(t) {
		if c.name == name {
			return c.open(t)
		}
	}
	t.Fatalf("no story is called %q", name)
	return nil
}
