package prove_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
)

// interrupted searches a subject again and again, each time for one batch, until it is done.
// It returns how often, and the last result.
func interrupted(t *testing.T, subject func() prove.Subject, property string, cfg prove.Config) (int, *prove.Result) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for n := 1; ; n++ {
		r, err := prove.Search(ctx, subject, []string{property}, cfg)
		require.NoError(t, err)
		if !r.GoesOn {
			return n, r
		}
		// Of a layer of which a part was searched, a violation may be known.
		require.NotEqual(t, prove.Proved, r.Verdict)
	}
}

// same leaves out what may differ between a resumed search and a search in one piece.
func same(r *prove.Result) prove.Result {
	c := *r
	c.Seconds, c.Bytes, c.Resumed, c.Filed = 0, 0, 0, 0
	return c
}

func keepIn(dir string, question ...string) *prove.Keep {
	return &prove.Keep{Dir: dir, Question: append([]string{"subject=test"}, question...)}
}

func TestSearchThatGoesOnComesToTheSame(t *testing.T) {
	wrong := func(at []*walker) bool { return at[0].done == 6 && at[1].done == 7 && at[2].side == 2 }
	for name, nodes := range map[string][]walker{
		"holds":    {{steps: 8}, {steps: 8}, {steps: 8, dice: true}, {clock: true}},
		"violated": {{steps: 8}, {steps: 8}, {steps: 7, dice: true}, {clock: true}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := prove.Config{Bounds: prove.Bounds{TimerBound: 2}, Workers: 2}
			subject := func() prove.Subject {
				s := &walk{nodes: nodes}
				if name == "violated" {
					s.wrong = wrong
				}
				return s
			}
			once, err := prove.Search(context.Background(), subject, []string{"right"}, cfg)
			require.NoError(t, err)
			cfg.Keep = keepIn(t.TempDir())
			times, often := interrupted(t, subject, "right", cfg)
			require.Greater(t, times, 10)
			require.Positive(t, often.Resumed)
			require.Equal(t, same(once), same(often))

			// A search that is done says again what it came to.
			done, err := prove.Search(context.Background(), subject, []string{"right"}, cfg)
			require.NoError(t, err)
			require.Equal(t, once.States, done.Resumed)
			require.Equal(t, same(once), same(done))
		})
	}
}

// Memory for some 2,500 states at a time.
const tiny = 60 << 10

func TestSearchThatMemoryDoesNotHoldComesToTheSame(t *testing.T) {
	// Each ring leads back to states that have been in files for long.
	nodes := []walker{{steps: 16, ring: 16}, {steps: 16, ring: 16}, {steps: 15, ring: 15, dice: true}}
	for name, wrong := range map[string]func([]*walker) bool{
		"holds":    nil,
		"violated": func(at []*walker) bool { return at[0].done == 12 && at[1].done == 13 && at[2].side == 2 },
	} {
		t.Run(name, func(t *testing.T) {
			subject := func() prove.Subject { return &walk{nodes: nodes, wrong: wrong} }
			once, err := prove.Search(context.Background(), subject, []string{"right"}, prove.Config{Workers: 2})
			require.NoError(t, err)
			require.Zero(t, once.Filed)
			dir := t.TempDir()
			cfg := prove.Config{Workers: 2, Bytes: tiny, Keep: keepIn(dir)}
			filed, err := prove.Search(context.Background(), subject, []string{"right"}, cfg)
			require.NoError(t, err)
			require.Greater(t, filed.Filed, once.States/2)
			require.Less(t, filed.Bytes, 5*tiny)
			require.Equal(t, same(once), same(filed))
			left, err := filepath.Glob(filepath.Join(dir, "sorted*"))
			require.NoError(t, err)
			require.Empty(t, left)

			// It goes on as well, from the middle.
			cfg.Keep, cfg.States = keepIn(t.TempDir()), once.States/2
			half, err := prove.Search(context.Background(), subject, []string{"right"}, cfg)
			require.NoError(t, err)
			require.True(t, half.GoesOn)
			cfg.States = 0
			often, err := prove.Search(context.Background(), subject, []string{"right"}, cfg)
			require.NoError(t, err)
			require.Positive(t, often.Resumed)
			require.Equal(t, same(once), same(often))
		})
	}
}

func TestSearchForALoopGoesOn(t *testing.T) {
	for _, plan := range []lamp{{wet: true, modulo: 3}, {wet: true, dries: true, modulo: 3}, {wet: true, deadline: true, modulo: 2}} {
		subject := func() prove.Subject { return &room{plan: plan} }
		cfg := prove.Config{}
		once, err := prove.Search(context.Background(), subject, []string{"lit"}, cfg)
		require.NoError(t, err)
		cfg.Keep = keepIn(t.TempDir())
		_, often := interrupted(t, subject, "lit", cfg)
		require.Equal(t, same(once), same(often))
		done, err := prove.Search(context.Background(), subject, []string{"lit"}, cfg)
		require.NoError(t, err)
		require.Equal(t, same(once), same(done))
	}
}

// A search that was killed has files that end anywhere: it goes on from the last whole part.
func TestSearchThatWasKilledComesToTheSame(t *testing.T) {
	subject := func() prove.Subject { return &walk{nodes: []walker{{steps: 17}, {steps: 17}, {steps: 17}}} }
	once, err := prove.Search(context.Background(), subject, []string{"right"}, prove.Config{})
	require.NoError(t, err)
	dir := t.TempDir()
	_, err = prove.Search(context.Background(), subject, []string{"right"}, prove.Config{States: 2000, Keep: keepIn(dir)})
	require.NoError(t, err)
	file := filepath.Join(dir, "search")
	all, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, all[:len(all)-7], 0o666))
	r, err := prove.Search(context.Background(), subject, []string{"right"}, prove.Config{Keep: keepIn(dir)})
	require.NoError(t, err)
	require.Positive(t, r.Resumed)
	require.Less(t, r.Resumed, 2000)
	require.Equal(t, same(once), same(r))
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	dir := t.TempDir()
	search := func(dir string, s *walk, question ...string) error {
		subject := func() prove.Subject { return s }
		_, err := prove.Search(context.Background(), subject, []string{"right"}, prove.Config{Keep: keepIn(dir, question...)})
		return err
	}
	small := &walk{nodes: []walker{{steps: 20}, {steps: 20}}}
	require.NoError(t, search(dir, small))
	require.ErrorContains(t, search(dir, small, "x=1"), "keeps another search: it has less, and this one x=1: give another directory")
	// The question does not say what the subject is: then its states do.
	require.ErrorContains(t, search(dir, &walk{nodes: []walker{{steps: 20, done: 1}, {steps: 20}}}), "does not fit this program")

	file := filepath.Join(dir, "search")
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, at := range []int{0, len(before) / 2, len(before) - 2} {
		after := slices.Clone(before)
		after[at] ^= 1
		require.NoError(t, os.WriteFile(file, after, 0o666))
		require.ErrorContains(t, search(dir, small), "is damaged", at)
	}
	require.NoError(t, os.WriteFile(file, before, 0o666))
	require.NoError(t, search(dir, small))
}
