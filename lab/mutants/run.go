package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	running "github.com/watchbed/watchbed/internal/mutants"
)

// runner runs mutants that are all in one binary.
type runner struct {
	flags     *flags
	binary    string
	results   string
	baselines []*Baseline
	mu        sync.Mutex
	// kills is how often a campaign has killed a mutant of a package.
	kills map[[2]string]int
}

// runAll runs the mutants of which there is no result, and adds theirs. Results of mutants that the code does not have
// any more go.
func runAll(f *flags, root string, all []*Mutant, results map[string]*result) error {
	only := strings.Split(f.only, ",")
	due := slices.DeleteFunc(slices.Clone(all), func(m *Mutant) bool {
		r := results[m.ID()]
		if f.only != "" {
			return !slices.Contains(only, m.ID())
		}
		return r != nil && !f.again
	})
	if err := forget(root, all, results); err != nil {
		return err
	}
	if len(due) == 0 {
		fmt.Println("nothing to run: all mutants have a result")
		return nil
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r := &runner{flags: f, results: filepath.Join(root, resultsFile), kills: map[[2]string]int{}}
	if err := r.build(root, folder, all); err != nil {
		return err
	}
	if err := r.measure(); err != nil {
		return err
	}
	for _, old := range results {
		r.kills[[2]string{old.Package, old.Campaign}]++
	}
	fmt.Printf("%d mutants, %d to run, %d campaigns\n", len(all), len(due), len(r.baselines))
	return errors.Join(r.run(due, results), forget(root, all, results))
}

func (r *runner) build(root, folder string, all []*Mutant) error {
	overlay, err := WriteOverlay(folder, all)
	if err != nil {
		return err
	}
	r.binary = filepath.Join(folder, "attempt")
	cmd := exec.Command("go", "build", "-overlay", overlay, "-o", r.binary, "./mutants")
	cmd.Dir, cmd.Stderr = filepath.Join(root, "lab"), os.Stderr
	return cmd.Run()
}

// measure runs all campaigns on the code as it was written.
func (r *runner) measure() error {
	cmd := exec.Command(r.binary, attempted, "baseline", r.flags.campaigns)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		b := new(Baseline)
		err := d.Decode(b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r.baselines = append(r.baselines, b)
	}
}

func (r *runner) run(due []*Mutant, results map[string]*result) error {
	var working sync.WaitGroup
	queue := make(chan *Mutant)
	var failed error
	for range r.flags.jobs {
		working.Go(func() {
			for m := range queue {
				o, err := r.attempt(m)
				r.mu.Lock()
				if err == nil {
					res, old := newResult(m, o), results[m.ID()]
					if results[m.ID()] = res; old != nil && old.Killed != "" && res.Killed == "" {
						fmt.Printf("%s was killed by %s (%s), %s, and survives now:\n", m.ID(), old.Killed, old.What, old.Campaign)
					}
					r.kills[[2]string{m.Package, o.Campaign}]++
					fmt.Println(res)
					if r.flags.campaigns == "" || res.Killed != "" {
						err = appendLine(r.results, res)
					}
				}
				failed = errors.Join(failed, err)
				r.mu.Unlock()
			}
		})
	}
	// A run that is interrupted has covered all packages alike.
	for _, m := range inTurn(due, func(m *Mutant) []string { return []string{m.Package} }) {
		queue <- m
	}
	close(queue)
	working.Wait()
	return failed
}

// campaigns are those that call the mutated function: the best one of each scenario and of each setting, then the
// second best of each, and so on, since another scenario makes other requests, and what an option switches on may run
// in one design only. Better are those that have killed more mutants of the package, and then the cheap ones.
func (r *runner) campaigns(m *Mutant) []*Baseline {
	all := slices.DeleteFunc(slices.Clone(r.baselines), func(b *Baseline) bool { return !slices.Contains(b.Entered, m.Unit) })
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(all, func(a, b *Baseline) int {
		byKills := r.kills[[2]string{m.Package, b.Campaign}] - r.kills[[2]string{m.Package, a.Campaign}]
		return cmp.Or(byKills, cmp.Compare(a.CPU, b.CPU))
	})
	return inTurn(all, func(b *Baseline) []string {
		scenario, settings, _ := strings.Cut(b.Campaign, " ")
		return []string{scenario, settings}
	})
}

// inTurn has what is the first of one of its groups, then what is the second of one.
func inTurn[T comparable](all []T, groups func(T) []string) []T {
	rank, of := map[T]int{}, map[string]int{}
	for _, x := range all {
		rank[x] = len(all)
		for _, group := range groups(x) {
			rank[x] = min(rank[x], of[group])
			of[group]++
		}
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b T) int { return rank[a] - rank[b] })
}

// patience is how much longer than its budget a mutant may take by the clock on the
// wall: the machine has other work.
const patience = 60

// attempt runs one mutant in a process of its own. A process that does not end by
// itself has killed the mutant.
func (r *runner) attempt(m *Mutant) (*Outcome, error) {
	campaigns := r.campaigns(m)
	if len(campaigns) == 0 {
		return &Outcome{}, nil
	}
	o, err := r.process(campaigns, fmt.Sprintf("%d.%d", m.Unit, m.Number))
	if err != nil || !o.Further {
		return o, err
	}
	// More schedules than the baseline has may show what the code as it was written violates, too.
	i := slices.IndexFunc(campaigns, func(b *Baseline) bool { return b.Campaign == o.Campaign })
	written, err := r.process(campaigns[i:i+1], "")
	if err == nil && written.Kind != "" {
		fmt.Printf("%s violates %s with no mutant as well\n", o.Campaign, written.What)
		o.Kind, o.What, o.Campaign = "", "", ""
	}
	return o, err
}

// process runs campaigns with a mutant, or with none, in a process of their own.
func (r *runner) process(campaigns []*Baseline, mutant string) (*Outcome, error) {
	task := Task{Campaigns: campaigns, Budget: r.flags.budget}
	input, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience*r.flags.budget)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.binary, attempted)
	cmd.Env = append(os.Environ(), running.Variable+"="+mutant)
	cmd.Stdin = bytes.NewReader(input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	o := new(Outcome)
	if err == nil {
		return o, json.Unmarshal(out, o)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, err
	}
	o.Kind, o.Of, o.CPU = "panic", len(task.Campaigns), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	o.What, _, _ = strings.Cut(stderr.String(), "\n")
	if ctx.Err() != nil || strings.Contains(o.What, "SIGXCPU") || o.CPU > r.flags.budget+5*time.Second {
		o.Kind = "endless"
	}
	return o, nil
}
