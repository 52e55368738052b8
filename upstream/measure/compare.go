package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compared is what the comparison of a world came to, with a release of etcd or with a cache. A trace is all that
// clients are told, in order for each stream. Those of the simulation are found by a search over all of its states;
// those of the released code by random schedules, and by a search for each trace that is still missing.
type compared struct {
	// World is which, and Release that of etcd or Kubernetes.
	World, Release string
	// Simulated is how many traces the simulation can show, in how many states.
	Simulated, States int
	// Released is how many traces that many random schedules of the released code have shown, Once how many of them a
	// single schedule, and Reached how many more a search for them.
	Schedules, Released, Once, Reached int
	// Preempted is how many more an etcd shows if its goroutines also give way where a thread of a server may be
	// preempted. No guest of Kubernetes is changed so: nil.
	Preempted *int `json:",omitempty"`
	// ReleasedOnly are traces of the released code that the simulation cannot show, SimulatedOnly those of the
	// simulation that the released code was not seen to show.
	ReleasedOnly, SimulatedOnly []string `json:",omitempty"`
}

func (r compared) key() key { return key{r.World, r.Release} }

func (r compared) String() string {
	line := fmt.Sprintf("%v: %d simulated traces in %d states, %d of the code, %d searched for", r.key(), r.Simulated, r.States, r.Released, r.Reached)
	if r.Preempted != nil {
		line += fmt.Sprintf(", %d with preemption", *r.Preempted)
	}
	if n := len(r.ReleasedOnly); n > 0 {
		line += fmt.Sprintf("; %d of the code ALONE, such as %s", n, r.ReleasedOnly[0])
	}
	if n := len(r.SimulatedOnly); n > 0 {
		line += fmt.Sprintf("; %d simulated alone", n)
	}
	return line
}

// part is how many schedules a program runs.
type part struct {
	program   string
	schedules int
}

// compare compares the simulation with random schedules of the code of a release.
func (of *world) compare(ctx context.Context, release, simulated string, parts []part) (compared, searched, error) {
	r := compared{World: of.Name, Release: release}
	s, err := of.search(ctx, simulated)
	if err != nil {
		return r, s, err
	}
	r.Simulated, r.States = len(s.traces), s.states
	seen := map[string]int{}
	for _, p := range parts {
		roots, err := of.roots(p.program)
		if err != nil {
			return r, s, err
		}
		if err := of.sample(ctx, roots, p.schedules, seen); err != nil {
			return r, s, err
		}
		r.Schedules += p.schedules
	}
	r.Released = len(seen)
	for _, t := range slices.Sorted(maps.Keys(seen)) {
		// Divided by the schedules this is about how likely the next one shows a new trace (Good 1953).
		if seen[t] == 1 {
			r.Once++
		}
		if _, is := s.traces[t]; !is {
			r.ReleasedOnly = append(r.ReleasedOnly, t)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(s.traces)) {
		if seen[t] == 0 {
			r.SimulatedOnly = append(r.SimulatedOnly, t)
		}
	}
	return r, s, nil
}

// amissInTraces are the worlds in which the code shows what the simulation cannot.
func amissInTraces(rows []compared) []string {
	var all []string
	for i := range rows {
		r := &rows[i]
		if n := len(r.ReleasedOnly); n > 0 {
			all = append(all, fmt.Sprintf("%v: the simulation cannot show %d traces of the released code, such as %s", r.key(), n, r.ReleasedOnly[0]))
		}
	}
	return all
}

// sums are how many traces there are of all rows: of the code alone, of the simulation alone, and of the simulation.
type sums struct{ released, simulated, all int }

func sumOf(rows []compared) sums {
	var s sums
	for i := range rows {
		r := &rows[i]
		s.released, s.simulated, s.all = s.released+len(r.ReleasedOnly), s.simulated+len(r.SimulatedOnly), s.all+r.Simulated
	}
	return s
}

// are says how many there are, behind "There".
func are(n int) string {
	switch n {
	case 0:
		return "are none"
	case 1:
		return "is 1"
	}
	return fmt.Sprintf("are %d", n)
}

// renderCompared is the page of a comparison, with a line of the table for each row.
func renderCompared(head string, worlds []*world, rows []compared, line func(*compared) string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range rows {
		b.WriteString(line(&rows[i]))
	}
	b.WriteString("\n## The worlds\n\n| | |\n|---|---|\n")
	for _, of := range worlds {
		fmt.Fprintf(&b, "| %s | %s |\n", of.Name, of.Doc)
	}
	renderTraces(&b, "The code alone", rows, func(r *compared) []string { return r.ReleasedOnly })
	renderTraces(&b, "Simulated alone", rows, func(r *compared) []string { return r.SimulatedOnly })
	return b.String()
}

// renderTraces is a section with traces of all rows.
func renderTraces(b *strings.Builder, title string, rows []compared, of func(*compared) []string) {
	fmt.Fprintf(b, "\n## %s\n", title)
	none := true
	for i := range rows {
		traces := of(&rows[i])
		if len(traces) == 0 {
			continue
		}
		none = false
		fmt.Fprintf(b, "\n%v:\n\n", rows[i].key())
		for _, t := range traces {
			fmt.Fprintf(b, "    %s\n", t)
		}
	}
	if none {
		b.WriteString("\nNone.\n")
	}
}
