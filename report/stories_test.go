package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"

	// The known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
)

// Each story has two files in testdata/stories: NAME.json is the recorded run, and NAME.txt what is told of the first
// violation among its findings. There is one for each note and each kind of cause. A new one begins with a file that
// simrun run has written.
var update = flag.Bool("update", false, "tell the stories anew; a recording that does not replay any more is searched for anew")

const storiesDir = "testdata/stories"

// storyNames are the stories, in order.
func storyNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(storiesDir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	return names
}

func fileOf(name, ext string) string { return filepath.Join(storiesDir, name+ext) }

// recorded is the scenario of a story, its run, and the failure that is told.
func recorded(t *testing.T, name string) (*testbed.Scenario, *recording.Recording, explore.Failure) {
	t.Helper()
	rec, err := recording.Open(fileOf(name, ".json"))
	require.NoError(t, err)
	sc, err := testbed.FindScenario(rec.Scenario)
	require.NoError(t, err)
	require.NotEmpty(t, rec.Violations())
	return sc, rec, rec.Violations()[0]
}

// opened are the diagnoses of the stories. What
// decides is looked for in thousands of runs, so each is made once for all tests.
var opened sync.Map

// told is the diagnosis of a story. It is not the test's own: it must not change it.
func told(t *testing.T, name string) *diagnosis.Diagnosis {
	t.Helper()
	replay, _ := opened.LoadOrStore(name, sync.OnceValues(func() (*diagnosis.Diagnosis, error) {
		sc, rec, failure := recorded(t, name)
		return diagnosis.Of(sc, rec, failure)
	}))
	d, err := replay.(func() (*diagnosis.Diagnosis, error))()
	require.NoError(t, err, "%s is stale: go test ./report -run TestStories$ -update searches for another run", name)
	return d
}

// tellRecorded is a story without its cause.
func tellRecorded(t *testing.T, name string) (*story.Story, *testbed.Scenario, *recording.Recording) {
	t.Helper()
	sc, rec, failure := recorded(t, name)
	s, err := story.Tell(sc, rec, failure)
	require.NoError(t, err)
	return s, sc, rec
}

func tellOnly(t *testing.T, name string) *story.Story {
	t.Helper()
	s, _, _ := tellRecorded(t, name)
	return s
}

// renew makes the recording of a story one that replays: the same, its choices if they still fail in the same way, or
// one that is searched for anew.
func renew(t *testing.T, name string) {
	t.Helper()
	sc, rec, failure := recorded(t, name)
	p, err := sc.RecordedParams(rec.Parameters)
	require.NoError(t, err)
	if _, err := diagnosis.Of(sc, rec, failure); err != nil {
		again := follow(t, sc, p, rec, failure)
		if again == nil {
			again = searchAnew(t, sc, p, rec.Strategy, failure.Property)
		}
		again.Scenario, again.Strategy, again.Seed = rec.Scenario, rec.Strategy, rec.Seed
		rec = again
	}
	rec.Tool, rec.Parameters = "watchbed", fewestParameters(t, sc, rec)
	rec.Findings = slices.DeleteFunc(rec.Findings, func(f recording.Finding) bool { return f.Verdict != model.Violated.String() })
	for i := range rec.Findings {
		// The story has a file of its own.
		rec.Findings[i].Why, rec.Findings[i].Story = "", nil
	}
	slices.SortStableFunc(rec.Findings, func(a, b recording.Finding) int {
		return is(b.Property == failure.Property) - is(a.Property == failure.Property)
	})
	var b bytes.Buffer
	_, err = rec.WriteTo(&b)
	require.NoError(t, err)
	// One byte in ten would be indentation.
	require.NoError(t, os.WriteFile(fileOf(name, ".json"), indentation.ReplaceAll(b.Bytes(), nil), 0o644))
	opened.Delete(name)
}

var indentation = regexp.MustCompile(`(?m)^ +`)

func is(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fewestParameters leaves out the parameters that the scenario and the others say anyway, so that few changes make a
// recording stale.
func fewestParameters(t *testing.T, sc *testbed.Scenario, rec *recording.Recording) []option.Setting {
	t.Helper()
	all, err := sc.RecordedParams(rec.Parameters)
	require.NoError(t, err)
	few := *rec
	for i := len(rec.Parameters) - 1; i >= 0; i-- {
		without := few
		without.Parameters = slices.Delete(slices.Clone(few.Parameters), i, i+1)
		if p, err := sc.RecordedParams(without.Parameters); err == nil && slices.Equal(p.Expand(), all.Expand()) {
			few = without
		}
	}
	return few.Parameters
}

// follow takes all choices of a recording once more, where nothing but what the
// trace hash covers has changed, such as the values that clients write. The run goes
// on after the last of them, so it is shrunk again. It returns nil if the run is
// another one.
func follow(t *testing.T, sc *testbed.Scenario, p testbed.Params, stale *recording.Recording, failure explore.Failure) *recording.Recording {
	t.Helper()
	system, err := sc.New(p)
	require.NoError(t, err)
	follower, err := recording.NewFollower(stale)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	again, result := recording.Record(runner, follower)
	if result.Find(failure) == nil {
		return nil
	}
	small, err := recording.Shrink(t.Context(), runner, again, failure, recording.DefaultShrinkRuns)
	require.NoError(t, err)
	if taken, all := follower.Followed(); taken < all {
		return nil
	}
	small.Recording.Parameters = p.Expand()
	return small.Recording
}

// searchAnew finds and shrinks a run, as simrun run would.
func searchAnew(t *testing.T, sc *testbed.Scenario, p testbed.Params, strategyName, property string) *recording.Recording {
	t.Helper()
	s, err := strategy.Find(strategyName)
	require.NoError(t, err)
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	const batch, most = 4_000, 400_000
	for first := uint64(0); first < most; first += batch {
		found, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: s, FirstSeed: first, Seeds: batch, Steps: p.Clock.Steps})
		require.NoError(t, err)
		for _, f := range found.Failures {
			if f.Failure.Property != property {
				continue
			}
			finder := &diagnosis.Finder{Scenario: sc, Params: p, Strategy: s, First: first, Last: first + batch - 1, Shrink: true}
			told, err := finder.Find(t.Context(), []campaign.FailureTally{f})
			require.NoError(t, err)
			return told[0].Recording
		}
	}
	require.Fail(t, "never violated", "%s of %s", property, sc.Name)
	return nil
}

// TestStories tells every story and compares with the golden file, with what decides in each at full size. What
// decides is looked for in thousands of runs; a story without it is told in ten.
func TestStories(t *testing.T) {
	for i, name := range storyNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *update {
				renew(t, name)
			}
			diagnosed := *update || i%testsize.Of(1, 12) == 0
			var d *diagnosis.Diagnosis
			if diagnosed {
				d = told(t, name)
			} else {
				d = &diagnosis.Diagnosis{Story: tellOnly(t, name)}
			}
			var b bytes.Buffer
			require.NoError(t, WriteStory(&b, Terminal{}, d))
			text := b.String()
			if *update {
				require.NoError(t, os.WriteFile(fileOf(name, ".txt"), b.Bytes(), 0o644))
				return
			}
			golden, err := os.ReadFile(fileOf(name, ".txt"))
			require.NoError(t, err)
			want := string(golden)
			if !diagnosed {
				text, _, _ = strings.Cut(text, Terminal{}.Wrap(d.Cause(), 0))
				want = want[:min(len(text), len(want))]
			}
			require.Equal(t, want, text, "go test ./report -run TestStories$ -update writes it anew")
			if diagnosed {
				assert.Equal(t, blameOf(t, name), d.Decision.Blame())
			}
		})
	}
}

// blamed is the cause of the runs without a planted bug; empty is that no setting decides: the clients ask for what
// they are given, or the behaviour at fault is no option.
var blamed = map[string]string{
	"issue-15220": "progress=control-queue", "issue-17507": "progress=deferred", "guard-downgrade": "progress=control-queue of etcd 3.5.7",
	"informer-moves-3.5.7": "progress=control-queue", "watch-guarantees-3.5.7-reliable": "compacted-unsynced=falls-through",
	"informer-detector": "lost-events", "watch-list-six-seconds": "initial-events-end=timer",
	"progress-echo-comes-to-rest": "progress-requests=echo",
	"stale-own-write":             "", "stale-list": "", "informer-relist-loop": "",
}

// blameOf is what the diagnosis has to name as the cause: of a known bug its setting.
func blameOf(t *testing.T, name string) string {
	t.Helper()
	if bug, planted := strings.CutPrefix(name, "bug-"); planted {
		b, err := testbed.FindBug(bug)
		require.NoError(t, err)
		return b.Setting
	}
	require.Contains(t, blamed, name)
	return blamed[name]
}

// TestTheBugOfTheScenarioIsBlamedFirst: of two behaviours of etcd that decide alike, the
// one is blamed that the scenario was made for, and the other one is named behind it: a watch from now on
// that is given its revision later hides etcd-io/etcd#20693 in this world, too.
func TestTheBugOfTheScenarioIsBlamedFirst(t *testing.T) {
	sc := scenarios.NegativeWatch
	p := sc.Params
	p.Etcd, p.Cache = "3.5.13", "draft-2019"
	rec := searchAnew(t, sc, p, strategy.Default().Name, "reliable")
	i := slices.IndexFunc(rec.Violations(), func(f explore.Failure) bool { return f.Property == "reliable" })
	d, err := diagnosis.Of(sc, rec, rec.Violations()[i])
	require.NoError(t, err)
	assert.Equal(t, "negative-start=accepted", d.Decision.Blame())
	assert.Contains(t, d.Cause(), "The same is true with ")
}

// TestWhatIsKnownIsSaid: where no setting decides, the reason in the rows of the scenario
// is said.
func TestWhatIsKnownIsSaid(t *testing.T) {
	for name, issue := range map[string]string{
		"stale-list":           "kubernetes/kubernetes#59848",
		"informer-relist-loop": "kubernetes/kubernetes#133810",
	} {
		text, err := os.ReadFile(fileOf(name, ".txt"))
		require.NoError(t, err)
		assert.Contains(t, string(text), "What is known", name)
		assert.Contains(t, strings.Join(strings.Fields(string(text)), " "), issue, name)
	}
}

// TestLabelsAndNotesOfStories: each label of a recording is one of its property, so that `simrun list LABEL` says what
// it means, and no node says the same twice in a step: a note is about one thing that happened.
func TestLabelsAndNotesOfStories(t *testing.T) {
	for _, name := range storyNames(t) {
		s, _, rec := tellRecorded(t, name)
		for _, f := range rec.Violations() {
			p, err := testbed.FindProperty(f.Property)
			require.NoError(t, err)
			if f.Label != "" {
				assert.Contains(t, p.Labels, f.Label, "%s of %s", f, name)
			}
		}
		for i, step := range s.Run.Trace.Steps {
			before := map[string]bool{}
			for _, n := range step.Notes {
				said := fmt.Sprint(n.Node, " ", n.Text)
				assert.False(t, before[said], "%s, step %d: %s", name, i+1, n.Text)
				before[said] = true
			}
		}
	}
}
