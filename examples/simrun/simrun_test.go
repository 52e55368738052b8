package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// simrun runs the command of this module and returns what it prints, with its exit
// code.
func simrun(t *testing.T, binary string, args ...string) (string, int) {
	t.Helper()
	command := exec.Command(binary, args...)
	command.Dir = filepath.Dir(binary)
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return string(out), exit.ExitCode()
	}
	return string(out), 0
}

func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "simrun")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// TestREADMEShowsTheNaiveCache holds the README to the code that is built here.
func TestREADMEShowsTheNaiveCache(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	code, err := os.ReadFile("naive.go")
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(code), "func init()")
	require.True(t, found)
	require.Contains(t, string(readme), "func init()"+shown)
}

// TestRegisteredPartsAreInEverySubcommand goes the way of a person: list, run,
// replay, shrink, matrix.
func TestRegisteredPartsAreInEverySubcommand(t *testing.T) {
	binary, out := build(t), t.TempDir()

	text, code := simrun(t, binary, "list")
	require.Zero(t, code)
	for _, name := range []string{"naive", "impatient", "failover", "leaseholder"} {
		assert.Contains(t, text, "\n  "+name+" ")
	}

	text, code = simrun(t, binary, "run", "leaseholder", "--seeds", "200")
	assert.Zero(t, code, "%s", text)
	text, code = simrun(t, binary, "run", "leaseholder", "--seeds", "200", "--bug", "lease-renewal-lost", "--no-shrink", "--out", t.TempDir())
	assert.Equal(t, 1, code, "%s", text)
	assert.Contains(t, text, "leaseholder")

	for name, kind := range map[string]string{
		"naive": "cache design", "impatient": "cache design", "failover": "scenario",
		"never-empty": "property", "progress=unanswered": "value",
	} {
		text, code = simrun(t, binary, "list", name)
		assert.Zero(t, code, text)
		assert.Contains(t, text, kind+" "+name+": ")
	}

	text, code = simrun(t, binary, "run", "failover", "--seeds", "500", "--out", out)
	assert.Zero(t, code, text)
	assert.Contains(t, text, "never-empty       holds")

	text, code = simrun(t, binary, "run", "failover", "--cache", "naive", "--seeds", "500", "--out", out)
	assert.Equal(t, 1, code, text)
	assert.Contains(t, text, "never-empty       violated")
	assert.Contains(t, text, "the write was acknowledged", "the story says what is wrong")
	assert.Contains(t, text, "never-empty (empty): in the run that is told")

	quiet := []string{"run", "issue-17507", "--etcd", "3.6.16", "--seeds", "100", "--out", t.TempDir()}
	text, code = simrun(t, binary, quiet...)
	assert.Zero(t, code, text)
	text, code = simrun(t, binary, append(quiet, "--set", "progress=unanswered")...)
	assert.Equal(t, 1, code, text)
	assert.Contains(t, text, "answers-in-time  violated")
	assert.Contains(t, text, "One behaviour of etcd decides: progress=unanswered.")

	recordings, err := filepath.Glob(filepath.Join(out, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, recordings)
	for _, subcommand := range []string{"replay", "shrink"} {
		text, code = simrun(t, binary, subcommand, recordings[0])
		assert.Equal(t, map[string]int{"replay": 1, "shrink": 0}[subcommand], code, text)
		assert.Contains(t, text, "linearizable", subcommand)
	}

	text, code = simrun(t, binary, "matrix", "--designs", "naive,impatient", "--etcd", "3.6.16")
	assert.Equal(t, 1, code, text)
	assert.Contains(t, text, "no: stale read", "the naive cache")
	assert.Contains(t, text, "impatient", text)
}
