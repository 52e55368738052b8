package recorded_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/model"
)

var simrun struct {
	built sync.Once
	path  string
	err   error
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "simrun")
	if err != nil {
		panic(err)
	}
	simrun.path = filepath.Join(dir, "simrun")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// The fixtures go through the command that people use, as files.
func TestSimrunChecksTheFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realetcd.Histories(), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no histories", err)
	}
	simrunFinds(t, files, "holds", 0)
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		simrunFinds(t, writeTampered(t, h), "violated", 1)
	}
}

// simrunFinds runs "simrun check" and compares what it says of each file and
// the exit code.
func simrunFinds(t *testing.T, files []string, verdict string, code int) {
	t.Helper()
	simrun.built.Do(func() {
		cmd := exec.Command("go", "build", "-o", simrun.path, "./cmd/simrun")
		cmd.Dir = realetcd.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			simrun.err = errors.New(strings.TrimSpace(string(out)))
		}
	})
	if simrun.err != nil {
		t.Fatal(simrun.err)
	}
	cmd := exec.Command(simrun.path, append([]string{"check", "--json", "--property", "linearizable"}, files...)...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("simrun check ends with exit code %d, want %d", got, code)
	}
	var checked []struct{ History, Verdict string }
	if err := json.Unmarshal(out, &checked); err != nil {
		t.Fatal(err)
	}
	if len(checked) != len(files) {
		t.Errorf("simrun check judged %d of %d histories", len(checked), len(files))
	}
	for _, c := range checked {
		if c.Verdict != verdict {
			t.Errorf("%s: %s, want %s", c.History, c.Verdict, verdict)
		}
	}
}

func write(t *testing.T, h *model.History) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := history.Write(f, h); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// writeTampered writes the history once for each way, with the first answer that
// it has a hold on made wrong.
func writeTampered(t *testing.T, h *model.History) (files []string) {
	t.Helper()
	for _, way := range recordings.Tamperings() {
		for i := range h.Operations {
			if wrong := way.Apply(h, i); wrong != nil {
				files = append(files, write(t, wrong))
				break
			}
		}
	}
	return files
}
