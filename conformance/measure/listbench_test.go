package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// The whole comparison in small: every store, state and reader has its line.
func TestBench(t *testing.T) {
	s := settings{version: realetcd.Versions()[len(realetcd.Versions())-1], scale: 0.002, budget: 20 * time.Millisecond, runs: 1, design: "kep-2340"}
	realetcd.Need(t, s.version)
	var out bytes.Buffer
	if err := bench(t.Context(), s, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	// Two lines of heading; in three states five readers of the pods and six of
	// each other store.
	if want := 2 + 3*(5+6+6); len(lines) != want {
		t.Errorf("%d lines, want %d:\n%s", len(lines), want, &out)
	}
	for _, line := range lines[2:] {
		if cells := strings.Split(line, "|"); len(cells) != len(strings.Split(lines[0], "|")) || strings.TrimSpace(cells[5]) == "" {
			t.Errorf("a line without figures: %s", line)
		}
	}
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for _, s := range []settings{{scale: 1}, {runs: 1}, {runs: 1, scale: 2}, {runs: 1, scale: 1, only: "none"}, {runs: 1, scale: 1, design: "none"}} {
		if err := bench(t.Context(), s, io.Discard, io.Discard); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}
