package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/model"
)

// repository has four commits of a package: it does not compile, its test passes, passes in other words, and fails. A
// module beside the repository is imported.
func repository(t *testing.T) (folder string) {
	folder = filepath.Join(t.TempDir(), "own")
	for name, text := range map[string]string{"go.mod": "module example.org/beside\n\ngo 1.26.0\n", "beside.go": "package beside\n"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "..", "beside"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "..", "beside", name), []byte(text), 0o644))
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	git := func(arguments ...string) {
		out, err := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"}, arguments...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	git("init", "--quiet")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "pkg"), 0o755))
	for _, test := range []string{"func TestA(", "func TestA(t *testing.T) {}\n\nfunc TestGone(t *testing.T) {}", "func TestA(t *testing.T) { t.Log(1) }",
		"func TestA(t *testing.T) { t.Error(`a lost event`) }\n\nfunc TestB(t *testing.T) { print(1) }\n\n" +
			"func TestC(t *testing.T) { done := make(chan int); go func() { panic(`in a goroutine`) }(); <-done }"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.org/own\n\ngo 1.26.0\n\nrequire example.org/beside v0.0.0\n\nreplace example.org/beside => ../beside\n"), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "pkg", "own_test.go"), []byte("package own\n\nimport (\n\t\"testing\"\n\n\t_ \"example.org/beside\"\n)\n\n"+test+"\n"), 0o644))
		git("add", "-A")
		git("commit", "--quiet", "-m", "a")
	}
	return folder
}

// TestJudgesAChange: a test that fails at the head and passed at the base is newly violated.
func TestJudgesAChange(t *testing.T) {
	folder := repository(t)
	code, out, complaint := run(t, folder, "ci", "test@pkg", "--base", "HEAD~2")
	require.Equal(t, exitViolated, code, complaint)
	assert.Regexp(t, `^# test@pkg \([0-9a-f]{10}\) against HEAD~2 \([0-9a-f]{10}\)\n\n\*\*Newly violated: 2 claims.\*\* 0 tests came to the same.\n`, out)
	assert.Contains(t, out, "| pkg | TestA | PASS | FAIL |  |\n| pkg | TestC | not run | FAIL |  |\n")
	assert.Contains(t, out, "panic: in a goroutine")
	assert.Contains(t, out, "a lost event")
	assert.Contains(t, out, "## Differs otherwise\n\n| in | claim | base | now | chance |\n| --- | --- | --- | --- | --- |\n| pkg | TestB | not run | PASS |  |\n| pkg | TestGone | PASS | not run |  |\n")
	summary, err := os.ReadFile(filepath.Join(folder, "simrun-ci", "summary.md"))
	require.NoError(t, err)
	assert.Equal(t, out, string(summary))
	junit, err := os.ReadFile(filepath.Join(folder, "simrun-ci", "junit.xml"))
	require.NoError(t, err)
	assert.Contains(t, string(junit), `<testsuite name="test@pkg" tests="4" failures="2">`)
	trees, err := exec.Command("git", "-C", folder, "worktree", "list").Output()
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(trees), "\n"), "the work tree of the base is left")

	code, out, _ = run(t, folder, "ci", "test@pkg", "--base", "HEAD~2", "--fail-on", "none")
	assert.Equal(t, exitHolds, code, out)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "note"), nil, 0o644))
	code, out, _ = run(t, folder, "ci", "test@pkg", "--base", "HEAD")
	assert.Equal(t, exitHolds, code)
	assert.Regexp(t, `^# test@pkg \([0-9a-f]{10} with 1 file not committed\) against HEAD`, out)
	assert.Contains(t, out, "**Nothing is newly violated.** 3 tests came to the same.\n")
	code, _, complaint = run(t, folder, "ci", "test@pkg", "--base", "HEAD", "--run", "Nope")
	assert.Equal(t, exitNoVerdict, code)
	assert.Contains(t, complaint, `no test of pkg ran: --run "Nope" names none`)
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "new"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "new", "own_test.go"), []byte("package own\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) { t.Fail() }\n"), 0o644))
	code, out, _ = run(t, folder, "ci", "test@new", "--base", "HEAD")
	assert.Equal(t, exitViolated, code)
	assert.Contains(t, out, "**Newly violated: 1 claim.** The base runs none of these tests. 0 tests came to the same.\n")
	for arguments, says := range map[string]string{
		"test@pkg":                          "--base is missing: want the commit, branch or tag to compare with",
		"test@pkg --base nowhere":           "--base nowhere: " + folder + " has no such commit; a shallow clone has to fetch it",
		"test@/ --base main":                "/ is in no git repository",
		"cluster@pkg --base HEAD":           "ci cluster@pkg: want kubernetes@DIR, etcd@DIR or test@DIR",
		"test@pkg --base HEAD --fail-on it": "--fail-on it: want new, differs or none",
		"test@pkg --base HEAD~3":            ": own_test.go:9:13: expected ')', found 'EOF'",
		"etcd@pkg --base HEAD --run A":      "--run says nothing about etcd@pkg",
		"test@pkg --base HEAD --set a=1":    "--set says nothing about test@pkg",
		"test@nosuch --base HEAD":           "ci test@nosuch: there is no such folder",
		"test@./... --base HEAD":            "ci test@./...: want the folder of one package",
		"etcd@pkg --base HEAD":              "guests are compiled in the folder upstream of a clone of watchbed: run this there",
	} {
		code, _, complaint := run(t, folder, append([]string{"ci"}, strings.Fields(arguments)...)...)
		assert.Equal(t, exitUsage, code, arguments)
		assert.Contains(t, complaint, says, arguments)
	}
}

// TestChanceIsNoNewViolation: what chance may explain among so many claims is no new violation, and two claims that one run
// violates are shown by it once.
func TestChanceIsNoNewViolation(t *testing.T) {
	claim := func(v model.Verdict, violations uint64) *matrix.Claim {
		c := &matrix.Claim{Verdict: v, Violations: violations, Schedules: 400}
		if violations > 0 {
			c.Ways = []matrix.Way{{Command: "simrun run a --seeds 6..6"}}
		}
		return c
	}
	difference := func(property string, base, head uint64, chance float64) matrix.Difference {
		sides := []*matrix.Claim{claim(model.Holds, 0), claim(model.Holds, 0)}
		for i, n := range []uint64{base, head} {
			if n > 0 {
				sides[i] = claim(model.Violated, n)
			}
		}
		return matrix.Difference{Scenario: "a", Property: property, Sides: sides, Chance: chance}
	}
	c := &matrix.Comparison{
		Differs: []matrix.Difference{difference("b", 0, 18, 1e-5), difference("c", 0, 18, 1e-5), difference("d", 18, 0, 1e-5), difference("e", 3, 90, 1e-20)},
		Perhaps: []matrix.Difference{difference("f", 0, 8, 0.004)},
	}
	names := func(all []differs) (names []string) {
		for _, d := range all {
			names = append(names, d.claim)
		}
		return names
	}
	j, runs := sorted("mine", c)
	assert.Equal(t, []string{"b", "c"}, names(j.fresh))
	assert.Equal(t, []string{"d"}, names(j.mended))
	assert.Equal(t, []string{"e", "f"}, names(j.other))
	assert.Equal(t, []string{"simrun run a --seeds 6..6"}, runs)
	assert.Equal(t, []string{"a"}, perhapsNew(c))
}
