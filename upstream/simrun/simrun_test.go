package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
)

// The exit codes.
const (
	exitHolds = iota
	exitViolated
	exitUsage
	exitNoVerdict
)

// TestMain is the program itself where it is started again by a test.
func TestMain(m *testing.M) {
	if os.Getenv("SIMRUN_ITSELF") != "" {
		main()
	}
	os.Exit(m.Run())
}

func itself(folder string, arguments ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], arguments...)
	c.Dir, c.Env = folder, append(os.Environ(), "SIMRUN_ITSELF=1")
	return c
}

// run runs the program in a folder.
func run(t *testing.T, folder string, arguments ...string) (code int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	c := itself(folder, arguments...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// panics is a world of one member, in which a read panics at the first seed: etcd #22376.
var panics = []string{"cluster", "cluster@v3.6.16", "--seeds", "1", "--recheck", "0", "--config", `{"members":1,"faults":{"kills":0,"powerLosses":0,"pauses":0,"stalls":0,"partitions":0,"breaks":0,"moves":0,"losses":0},
	"clients":1,"keys":1,"operations":12,"think":"100ms","for":"2s","watchers":0,"shares":{"get":2,"list":0,"serializable":0,"put":0,"delete":0,"txn":0,"rewrite":2,"compact":2}}`}

// TestKilledWhileItShrinks: the run is on the disk as soon as it is found, whatever ends the process then.
func TestKilledWhileItShrinks(t *testing.T) {
	folder := t.TempDir()
	c := itself(folder, panics...)
	complaints, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	line, err := bufio.NewReader(complaints).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())

	kept := regexp.MustCompile(`is violated at seed 0. Unshrunk replay: \S+ replay (\S+)\n$`).FindStringSubmatch(line)
	require.NotNil(t, kept, line)
	code, out, _ := run(t, folder, "replay", kept[1])
	require.Equal(t, exitViolated, code)
	require.Contains(t, out, "The same run to the bit")

	code, out, _ = run(t, folder, "shrink", kept[1], "--runs", "20")
	require.Equal(t, exitHolds, code)
	require.Regexp(t, `^simrun-failures/no-panic.*: \d+ recorded choices, before \d+; 2[01] runs. There may be a smaller one`, out)
}

// TestShrunkRuns are replayed and shrunk further, and the lines of a campaign name no file that is not there.
func TestShrunkRuns(t *testing.T) {
	folder := t.TempDir()
	code, out, complaints := run(t, folder, append(panics, "--runs", "5")...)
	require.Equal(t, exitViolated, code, complaints)
	named := regexp.MustCompile(`simrun-failures/\S+\.json`).FindAllString(complaints+out, -1)
	require.GreaterOrEqual(t, len(named), 2)
	for _, path := range named {
		require.FileExists(t, filepath.Join(folder, path))
	}
	last := named[len(named)-1]
	story := out[strings.Index(out, "the first of seed 0:"):]
	before, err := recording.Open(filepath.Join(folder, last))
	require.NoError(t, err)

	code, out, _ = run(t, folder, "replay", last)
	require.Equal(t, exitViolated, code)
	told, _, _ := strings.Cut(out, "\n\nThe same run to the bit")
	require.Contains(t, story, told)

	code, out, _ = run(t, folder, "shrink", "--runs", "60", "--out", "smaller", last)
	require.Equal(t, exitHolds, code)
	files, err := filepath.Glob(filepath.Join(folder, "smaller", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1, out)
	after, err := recording.Open(files[0])
	require.NoError(t, err)
	require.Less(t, len(after.Choices), len(before.Choices))

	code, out, complaints = run(t, folder, "replay", "--html", "page.html", last)
	require.Equal(t, exitUsage, code)
	require.Empty(t, out)
	require.Regexp(t, `: `+last+`: a run of a cluster has no page, and is replayed as it is: \S+ replay `+last+`, without flags\n$`, complaints)
}

// TestWhatCannotBeWritten is said, and does not hide a violation.
func TestWhatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	c := itself(t.TempDir(), "cluster", "cluster@v3.6.16", "--print")
	var complaints bytes.Buffer
	c.Stdout, c.Stderr = full, &complaints
	require.Error(t, c.Run())
	require.Equal(t, exitUsage, c.ProcessState.ExitCode())
	require.Regexp(t, `^\S+: standard output is incomplete: .*no space left on device\n$`, complaints.String())

	code, out, said := run(t, t.TempDir(), append(panics, "--out", "/proc/nowhere")...)
	require.Equal(t, exitUsage, code)
	require.Empty(t, out)
	require.Regexp(t, `: --out /proc/nowhere: cannot be written: no such file or directory\n$`, said)

	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "unshrunk"), nil, 0o666))
	code, out, said = run(t, folder, append(panics, "--runs", "1", "--out", ".")...)
	require.Equal(t, exitViolated, code)
	require.Regexp(t, `Unshrunk replay: none, as it cannot be written: .*not a directory\n$`, said)
	require.Contains(t, out, "\nReplay: ")
}

// TestVerdictsAreExitCodes: a claim that was never checked is no verdict, and what a world cannot check is not claimed.
func TestVerdictsAreExitCodes(t *testing.T) {
	for want, config := range map[int]string{exitHolds: `{"watchers":0,"members":1}`, exitNoVerdict: `{"watchers":1,"operations":0,"members":1}`} {
		code, out, complaints := run(t, t.TempDir(), "cluster", "cluster@v3.6.16", "--seeds", "1", "--recheck", "0", "--config", config)
		require.Equal(t, want, code, out+complaints)
		require.Equal(t, want == exitNoVerdict, strings.Contains(out, "No verdict on "), out)
	}
}
