package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/mutants"
)

const fixture = "mutants/testdata/fixture"

func fixtureMutants(t *testing.T, n int) []*Mutant {
	t.Helper()
	all, err := Choose("..", []Target{{fixture, n}}, nil, 0)
	require.NoError(t, err)
	return all
}

// built compiles the fixture with all mutants, and returns what runs it with one of
// them, or with none.
func built(t *testing.T, all []*Mutant) func(m *Mutant) string {
	t.Helper()
	folder := t.TempDir()
	overlay, err := WriteOverlay(folder, all)
	require.NoError(t, err)
	binary := filepath.Join(folder, "fixture")
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", binary, "./testdata/fixture").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return func(m *Mutant) string {
		cmd := exec.Command(binary)
		if m != nil {
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d.%d", mutants.Variable, m.Unit, m.Number))
		}
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
}

func find(t *testing.T, all []*Mutant, operator, after string) *Mutant {
	t.Helper()
	i := slices.IndexFunc(all, func(m *Mutant) bool { return m.Operator == operator && m.After == after })
	require.GreaterOrEqual(t, i, 0, "%s: %s", operator, after)
	return all[i]
}

// TestMutantsAreDistinctAndCompileTogether: each differs from the others and from what
// was written, and with no mutant chosen nothing differs.
func TestMutantsAreDistinctAndCompileTogether(t *testing.T) {
	all := fixtureMutants(t, 1000)
	ids, texts := map[string]bool{}, map[string]bool{string(all[0].body.file.text): true}
	operators := map[string]bool{}
	for _, m := range all {
		text := apply(m.body.file.text, 0, len(m.body.file.text), m.edits)
		assert.False(t, ids[m.ID()], "%s %s", m.Operator, m.After)
		assert.False(t, texts[text], "%s %s", m.Operator, m.After)
		ids[m.ID()], texts[text], operators[m.Operator] = true, true, true
	}
	require.Greater(t, len(operators), 10)
	run := built(t, all)
	const written = "15 1 -2\n2 4 42\n0 1 2 1\n"
	require.Equal(t, written, run(nil))
	for _, c := range []struct{ operator, after, prints string }{
		{"boundary", "i < n", "10 1 -2\n2 4 42\n0 1 2 1\n"},
		{"constant", "i := (0 + 1)", written},
		{"negation", "v != wanted", "15 0 0\n2 4 42\n0 1 2 1\n"},
		{"lost assignment", "_ = v", "15 1 -2\n2 0 42\n0 1 2 1\n"},
		{"wrong field", "l.count = v", "15 1 -2\n4 0 42\n0 1 2 1\n"},
		{"early return", "return; l.last = v", "15 1 -2\n2 0 42\n0 1 2 1\n"},
		{"order", "b -= a a *= 2", "15 1 -2\n2 4 42\n0 1 2 3\n"},
		{"dropped case", "case v < 0:", "15 1 -1\n2 4 42\n0 1 2 1\n"},
		{"arithmetic", "return v - v", "15 1 -2\n2 4 0\n0 1 2 1\n"},
		{"connective", "v > 0 || v < 9", "15 1 -2\n2 4 42\n1 1 1 1\n"},
		{"lost condition", "v > 0", "15 1 -2\n2 4 42\n0 1 1 1\n"},
		{"wrong constant", "l = high", "15 1 -2\n2 4 42\n0 2 2 1\n"},
		{"branches", "if a > b { b = max(a, b) } else { a, b = b, a }", "15 1 -2\n2 4 42\n0 1 2 -8\n"},
	} {
		require.Equal(t, c.prints, run(find(t, all, c.operator, c.after)), "%s: %s", c.operator, c.after)
	}
}

// TestChoiceIsAFunctionOfTheSource: the same mutants each time, and a smaller sample is
// the beginning of a larger one.
func TestChoiceIsAFunctionOfTheSource(t *testing.T) {
	names := func(all []*Mutant) (ids []string) {
		for _, m := range all {
			ids = append(ids, m.ID())
		}
		return ids
	}
	large := names(fixtureMutants(t, 20))
	require.Equal(t, large, names(fixtureMutants(t, 20)))
	require.Equal(t, large[:5], names(fixtureMutants(t, 5)))
}

// TestTargetsHaveFiveHundredMutants over all packages, which are there.
func TestTargetsHaveFiveHundredMutants(t *testing.T) {
	total := 0
	for _, target := range Targets {
		assert.DirExists(t, filepath.Join("../..", target.Package))
		assert.Positive(t, target.Sample, target.Package)
		total += target.Sample
	}
	require.GreaterOrEqual(t, total, 500)
}
