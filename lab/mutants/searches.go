package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	running "github.com/watchbed/watchbed/internal/mutants"
)

const (
	searchedFile = "lab/mutants/searched.jsonl"
	// sampleSeed is the one by which mutants are drawn for the rows.
	sampleSeed = 1
	// sampleSize is how many are drawn if -n does not say.
	sampleSize = 300
	// largestRow is how many states a row has at most that is searched.
	largestRow = 12_000
)

// searchedIn are the packages of which mutants are drawn, with those below them: what searches simulate.
var searchedIn = []string{"sim/cache", "sim/client", "sim/etcd"}

// searched is what the rows of the table of proofs notice of a mutant that campaigns kill. The mutant itself, and how
// campaigns kill it, is its result.
type searched struct {
	*result `json:"-"`

	ID string
	// Row is the smallest whose verdict is another one, of so many States, and Kind and What say how; all are empty if
	// there is none. If no verdict is, it is the smallest in which a coverage point does not come about any more.
	Row    string `json:",omitempty"`
	States int    `json:",omitempty"`
	Kind   string `json:",omitempty"`
	What   string `json:",omitempty"`
	// Counts is the smallest row of which only the numbers differ.
	Counts string `json:",omitempty"`
	// Entered is how many rows call the function.
	Entered int
	Seconds float64 `json:"-"`
	// LookedAt: the mutant was known when the rows of the catalogue in small worlds were chosen. What rows find of the
	// others was not.
	LookedAt bool `json:",omitempty"`
}

// searchedPackages are those of the targets from which mutants are drawn.
func searchedPackages() (names []string) {
	for _, t := range Targets {
		if slices.ContainsFunc(searchedIn, func(p string) bool { return t.Package == p || strings.HasPrefix(t.Package, p+"/") }) {
			names = append(names, t.Package)
		}
	}
	return names
}

// sampleOf draws mutants. One that comes or goes leaves the order of the others.
func sampleOf(killed []*Mutant, n int) []*Mutant {
	drawn := slices.Clone(killed)
	slices.SortFunc(drawn, func(a, b *Mutant) int { return cmp.Compare(drawnAt(a.ID()), drawnAt(b.ID())) })
	return drawn[:min(n, len(drawn))]
}

// drawnAt is the place of a mutant among all.
func drawnAt(id string) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(sampleSeed) + "searches" + id))
	return string(sum[:])
}

// searcher searches rows with mutants that are all in one binary, the tests of package proofs.
type searcher struct {
	flags          *flags
	folder, binary string
	proofs         string
	// budget is the processor time for a mutant.
	budget time.Duration
	// rows are those that are small enough, the smallest first, with what they enter.
	rows []running.Outcome
}

// searchAll searches the rows with the mutants of the sample of which there is no result, or prints those that there
// are.
func searchAll(f *flags, root string) error {
	path := filepath.Join(root, searchedFile)
	results, err := readResults(filepath.Join(root, resultsFile))
	if err != nil {
		return err
	}
	killed, err := Find(root, searchedPackages(), func(id string) bool { return results[id] != nil && results[id].Killed != "" })
	if err != nil {
		return err
	}
	for _, m := range killed {
		results[m.ID()].mutant = m
	}
	known, err := readSearched(path, results)
	if err != nil {
		return err
	}
	if f.table {
		fmt.Print(searchedTable(inOrder(known), f.largest))
		return nil
	}
	sample := sampleOf(killed, cmp.Or(f.n, sampleSize))
	due := slices.DeleteFunc(slices.Clone(sample), func(m *Mutant) bool { return known[m.ID()] != nil && !f.again })
	if len(due) == 0 {
		fmt.Println("nothing to run: all mutants of the sample have a result")
		return nil
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	s := &searcher{flags: f, folder: folder, proofs: filepath.Join(root, "proofs")}
	if err := s.build(root, sample); err != nil {
		return err
	}
	if err := s.measure(); err != nil {
		return err
	}
	fmt.Printf("%d mutants, %d to run, %d rows\n", len(sample), len(due), len(s.rows))
	return s.run(due, results, known, path)
}

// inOrder has the mutants in the order in which they were drawn.
func inOrder(known map[string]*searched) []*searched {
	return slices.SortedFunc(maps.Values(known), func(a, b *searched) int { return cmp.Compare(drawnAt(a.ID), drawnAt(b.ID)) })
}

// readSearched leaves out mutants without a result: the code has no such line any more.
func readSearched(path string, results map[string]*result) (map[string]*searched, error) {
	all := map[string]*searched{}
	return all, readLines(path, func(line []byte) error {
		var s searched
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
		if s.result = results[s.ID]; s.result != nil && s.mutant != nil {
			all[s.ID] = &s
		}
		return nil
	})
}

func (s *searcher) build(root string, sample []*Mutant) error {
	overlay, err := WriteOverlay(s.folder, sample)
	if err != nil {
		return err
	}
	s.binary = filepath.Join(s.folder, "proofs.test")
	cmd := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", s.binary, "./proofs")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	return cmd.Run()
}

// measure searches the rows without a mutant: they have to come to what is written down.
func (s *searcher) measure() error {
	outcomes, _, cpu, err := s.search(&running.Task{Largest: s.flags.largest}, "baseline", "")
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if !o.Ended || o.Kind != "" || o.Counts {
			return fmt.Errorf("%s: its search without a mutant differs from proofs.json; go test ./proofs says how", o.Row)
		}
	}
	s.rows = outcomes
	// A search with a mutant ends at four times the states of its row, which is not endless yet.
	s.budget = max(s.flags.budget, 3*cpu)
	return nil
}

// run searches for each mutant the rows that call its function.
func (s *searcher) run(due []*Mutant, results map[string]*result, known map[string]*searched, path string) error {
	var working sync.WaitGroup
	var mu sync.Mutex
	queue := make(chan *Mutant)
	var failed error
	for range s.flags.jobs {
		working.Go(func() {
			for m := range queue {
				r, err := s.attempt(m, results[m.ID()])
				mu.Lock()
				if err == nil {
					known[m.ID()] = r
					fmt.Println(r)
					err = appendLine(path, r)
				}
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	for _, m := range due {
		queue <- m
	}
	close(queue)
	working.Wait()
	return failed
}

func (s *searcher) attempt(m *Mutant, old *result) (*searched, error) {
	r := &searched{result: old, ID: m.ID()}
	var names []string
	for _, o := range s.rows {
		if slices.Contains(o.Entered, m.Unit) {
			names = append(names, o.Row)
		}
	}
	if r.Entered = len(names); r.Entered == 0 {
		return r, nil
	}
	task := &running.Task{Rows: names, Largest: s.flags.largest, Seconds: int(s.budget / time.Second)}
	outcomes, ended, cpu, err := s.search(task, m.ID(), fmt.Sprintf("%s=%d.%d", running.Variable, m.Unit, m.Number))
	if err != nil {
		return nil, err
	}
	r.Seconds = cpu.Seconds()
	for _, o := range outcomes {
		if o.Counts && r.Counts == "" {
			r.Counts = o.Row
		}
		// The first lost coverage point stands unless a later row comes to another verdict.
		if o.Kind != "" && (r.Kind == "" || o.Kind != running.CoveragePoint) {
			r.Row, r.States, r.Kind, r.What = o.Row, o.States, o.Kind, o.What
		}
	}
	if last := outcomes[len(outcomes)-1]; ended != "" {
		r.Row, r.States, r.Kind = last.Row, last.States, ended
	}
	return r, nil
}

// search runs one process. If it does not come to its end, ended says how.
func (s *searcher) search(task *running.Task, name, mutant string) (outcomes []running.Outcome, ended string, cpu time.Duration, err error) {
	task.Out = filepath.Join(s.folder, name+".out")
	file := filepath.Join(s.folder, name+".task")
	text, err := json.Marshal(task)
	if err != nil {
		return nil, "", 0, err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, "", 0, err
	}
	cmd := exec.Command(s.binary, "-test.run", "^TestRowsWithMutant$", "-test.timeout", "1h", "-proofs.mutant", file)
	cmd.Dir, cmd.Env = s.proofs, append(os.Environ(), mutant)
	out, failure := cmd.CombinedOutput()
	cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	outcomes, err = readOutcomes(task.Out)
	switch {
	case err == nil && failure != nil && len(outcomes) == 0 && mutant != "":
		// With the mutant no row can be put together.
		return []running.Outcome{{Row: task.Rows[0]}}, running.Failed, cpu, nil
	case err != nil || len(outcomes) == 0:
		return nil, "", 0, fmt.Errorf("%s: %w: %s", name, errors.Join(failure, err), out)
	case failure == nil:
	case bytes.Contains(out, []byte("panic: ")):
		ended = running.Panic
	default:
		ended = running.Endless
	}
	return outcomes, ended, cpu, nil
}

// readOutcomes reads the last line about each row.
func readOutcomes(path string) (all []running.Outcome, err error) {
	err = readLines(path, func(line []byte) error {
		var o running.Outcome
		if err := json.Unmarshal(line, &o); err != nil {
			return err
		}
		if n := len(all); n > 0 && all[n-1].Row == o.Row {
			all = all[:n-1]
		}
		all = append(all, o)
		return nil
	})
	return all, err
}

func (s *searched) String() string {
	switch {
	case s.Row != "":
		return fmt.Sprintf("%s found by %s (%s), %d states, in %.1f s: %s", s.ID, s.Kind, s.What, s.States, s.Seconds, s.Row)
	case s.Counts != "":
		return fmt.Sprintf("%s changes only numbers, %.1f s: %s", s.ID, s.Seconds, s.Counts)
	}
	return fmt.Sprintf("%s not found by %d rows, %.1f s: %s %s", s.ID, s.Entered, s.Seconds, s.Package, s.mutant.Function)
}
