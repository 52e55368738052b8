package main

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/report"
)

const sampledHead = `# How much a sample of schedules sees

` + "`simrun run`" + ` takes a sample of schedules, and says "holds" of the sample. Here the worlds are so small that
` + "`simrun prove`" + ` counts all of their states, so that the part which a sample sees is known. Printed by
` + "`go run . sampled`" + ` in the folder lab, counted by ` + "`go test . -run TestSampled -sampled.update`" + `; ` + "`make lab-test`" + ` counts the smallest samples again.

A state is what the search takes for one: what nodes will do, how often timers have fired, and of the past what a verdict depends on.
A history is what clients asked and were answered, and in which order; only schedules that end by themselves have one.
A class are the schedules that become each other by swapping adjacent steps which do not conflict: they end in the same state with the same
history. Here schedules go on until nothing can happen within the bounds, also when the clients are done. Each run of a sample is one schedule
of one class, so that a sample is never of more classes than it has schedules. "-": not counted.
Samples keep to the bounds of the search: a timer that has fired as often as they say is not offered. Seeds are 0, 1, 2 and so on.
A violation ends neither a schedule nor the search.

What the tables say of a campaign that holds: after 10,000 schedules of the portfolio it has judged nearly every history that clients can have, but a part
of the states and a smaller part of the classes. A bug that needs one order of many may be in what was not seen. That it is not there, a search
of a smaller world shows.

A world or a size is counted by itself: ` + "`go test . -run 'TestSampled/second-watch' -sampled.update -sampled.schedules 100000`" + `.
Larger samples stay as they are written where the smaller ones come to the same.
Two worlds have no samples of 1,000,000 schedules yet. They take minutes of a core that had no other work: in the second world 100,000 schedules of
each strategy took 31 seconds of it.
`

// sampledTable is the page.
func sampledTable(kept map[string]figures) string {
	var b strings.Builder
	b.WriteString(sampledHead)
	for i := range worlds {
		w := &worlds[i]
		f, ok := kept[w.name()]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n`%s`: %s, %s, ", w.remark, w.name(),
			report.Counted(uint64(f.States), "state"), counted(f.Histories, "history", "histories"))
		if f.Classes > 0 {
			fmt.Fprintf(&b, "%s of schedules.\n\n| strategy |", counted(f.Classes, "class", "classes"))
		} else {
			b.WriteString("classes of schedules not counted.\n\n| strategy |")
		}
		sizes := f.sizes()
		for _, n := range sizes {
			fmt.Fprintf(&b, " states of %s | histories | classes |", report.Counted(uint64(n), "schedule"))
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|---:|---:|", len(sizes)) + "\n")
		for _, s := range strategy.All() {
			fmt.Fprintf(&b, "| %s |", s.Name)
			for i := range sizes {
				var x seen
				if samples := f.Strategies[s.Name]; i < len(samples) {
					x = samples[i]
				}
				fmt.Fprintf(&b, " %s | %s | %s |", part(x.States, f.States), part(x.Histories, f.Histories), part(x.Classes, f.Classes))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// sizes are those of the samples of the strategy that has the most.
func (f *figures) sizes() (list []int) {
	for _, s := range strategy.All() {
		for _, x := range f.Strategies[s.Name][min(len(list), len(f.Strategies[s.Name])):] {
			list = append(list, x.Schedules)
		}
	}
	return list
}

// part never says 100 % of what is not all.
func part(n, of int) string {
	switch n {
	case 0:
		return "-"
	case of:
		return "all"
	}
	return fmt.Sprintf("%.1f %%", min(99.9, 100*float64(n)/float64(of)))
}

// counted is for nouns that take no "s".
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strings.Fields(report.Counted(uint64(n), one))[0] + " " + several
}

const sizesHead = `
# How many histories larger bounds add

A history is what clients asked and were answered, and in which order. Counted are those in which schedules of issue-15220 end on etcd 3.6.16 with
the cache design kep-2340. "New" are those that the row with one firing fewer does not have: with more writes or LISTs every history is another
one. Counted by ` + "`go test . -run TestSizes -sampled.sizes`" + `.

| writes | LISTs | firings of each timer | states with whole histories | histories | new |
|---:|---:|---:|---:|---:|---:|
`

func tableOfSizes(kept map[string]sized) string {
	var b strings.Builder
	b.WriteString(sizesHead)
	for _, s := range sizes {
		k := kept[s.world().name()]
		fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %d |\n", s.writes, s.lists, s.firings, k.States, k.Histories, k.New)
	}
	return b.String()
}
