package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// resultsFile has a line for each mutant that was run, in the order in which they
// were. The last line about a mutant counts.
const resultsFile = "lab/mutants/results.jsonl"

// result is what became of a mutant. Its file does not have the change, which the id stands for: the sources have it.
type result struct {
	ID, Package string
	mutant      *Mutant

	// Killed by one of the kinds of package killer; empty if it survived.
	Killed   string `json:",omitempty"`
	What     string `json:",omitempty"`
	Campaign string `json:",omitempty"`
	// Of a survivor Entered is how many campaigns call the function, and Ran how many of them were run.
	// Reached: they get to the changed statement.
	Entered, Ran int     `json:",omitempty"`
	Reached      bool    `json:",omitempty"`
	Seconds      float64 `json:"-"`
}

func newResult(m *Mutant, o *Outcome) *result {
	r := &result{
		ID: m.ID(), Package: m.Package, mutant: m,
		Killed: o.Kind, What: o.What, Campaign: o.Campaign, Seconds: o.CPU.Seconds(),
	}
	if r.Killed == "" {
		r.Entered, r.Ran, r.Reached = o.Of, o.Ran, o.Touched
	}
	return r
}

func (r *result) String() string {
	if r.Killed == "" {
		return fmt.Sprintf("%s survives %d of %d campaigns, %.1f s: %s %s: %s => %s", r.ID, r.Ran, r.Entered, r.Seconds, r.Package, r.mutant.Function, r.mutant.Before, r.mutant.After)
	}
	return fmt.Sprintf("%s killed in %.1f s by %s (%s), %s", r.ID, r.Seconds, r.Killed, r.What, r.Campaign)
}

func readResults(path string) (map[string]*result, error) {
	all := map[string]*result{}
	return all, readLines(path, func(line []byte) error {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		all[r.ID] = &r
		return nil
	})
}

// readLines calls a function for each line. A file that does not exist has none.
func readLines(path string, each func([]byte) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if err := each(lines.Bytes()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}

// forget writes the file anew, with one line about each mutant that the code still has.
func forget(root string, all []*Mutant, results map[string]*result) error {
	var out bytes.Buffer
	has, packages := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		has[m.ID()], packages[m.Package] = true, true
	}
	for _, id := range slices.Sorted(maps.Keys(results)) {
		if r := results[id]; has[id] || !packages[r.Package] && slices.ContainsFunc(Targets, func(t Target) bool { return t.Package == r.Package }) {
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			out.Write(append(line, '\n'))
		}
	}
	return os.WriteFile(filepath.Join(root, resultsFile), out.Bytes(), 0o644)
}

// appendLine writes one line at the end of the file: an interrupt loses at most the
// mutants that run.
func appendLine(path string, r any) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
