package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	running "github.com/watchbed/watchbed/internal/mutants"
	"github.com/watchbed/watchbed/report"
)

// searchedHead is what a reader must know of the table.
const searchedHead = `# What the rows of the table of proofs find

Measured by ` + "`go run ./mutants -searches`" + ` in the folder lab. %d of the mutants of sim/cache, sim/client and sim/etcd that campaigns kill
were drawn at random. With each of them the rows of ` + "`simrun list proofs`" + ` were searched whose written figure is at most %s, the smallest
first, and only those that call the changed function: the searches of the table, those of known bugs, and the same bounds without the bug. A row
finds a mutant if its verdict is another one, or if a coverage point does not come about any more that did, which campaigns take for a difference, too. That
of a row of which only the number of states differs is the same, and such a mutant is not found; continuous integration would notice it all
the same, since it compares the numbers.

**Found: %s.** By verdicts alone: %s. Only numbers differ of %d more. %d change nothing in any row, and of %d no row calls the function.
%s`

// unseenHead is about the mutants of the sample by which no row was chosen.
const unseenHead = `
The rows of the catalogue in small worlds were chosen by what they find of %d mutants of the sample, and of mutants that are not in the
sample. No row was chosen by the other mutants of the sample. Of these the rows find %s, by verdicts alone %s.
The aim is 95 %%.
`

// share is how many of a list are found, with the 95 % interval (Wilson).
func share(list []*searched, found func(*searched) bool) string {
	n := len(keep(list, found))
	low, high := wilson(n, len(list))
	return fmt.Sprintf("%d of %d, %.0f %% (95 %% interval %.0f to %.0f %%)", n, len(list), percentOf(n, len(list)), 100*low, 100*high)
}

func (s *searched) isFound() bool { return s.Row != "" }

func (s *searched) byVerdict() bool { return s.isFound() && s.Kind != running.CoveragePoint }

// searchedTable is the table of a sample that was searched with rows of at most so many states.
func searchedTable(list []*searched, largest int) string {
	found := keep(list, (*searched).isFound)
	numbers := keep(list, func(s *searched) bool { return s.Row == "" && s.Counts != "" })
	nothing := keep(list, func(s *searched) bool { return s.Row == "" && s.Counts == "" && s.Entered > 0 })
	uncalled := keep(list, func(s *searched) bool { return s.Entered == 0 })
	unseen := ""
	if behind := keep(list, func(s *searched) bool { return !s.LookedAt }); len(behind) > 0 {
		unseen = fmt.Sprintf(unseenHead, len(list)-len(behind), share(behind, (*searched).isFound), share(behind, (*searched).byVerdict))
	}
	var out strings.Builder
	fmt.Fprintf(&out, searchedHead, len(list), report.Counted(uint64(largest), "state"), share(list, (*searched).isFound), share(list, (*searched).byVerdict),
		len(numbers), len(nothing), len(uncalled), unseen)
	byReason(&out, keep(list, func(s *searched) bool { return !s.isFound() }))
	byGroup(&out, "campaigns kill it by", list, func(s *searched) string { return s.Killed })
	byGroup(&out, "package", list, func(s *searched) string { return s.Package })
	out.WriteString("\n## Found\n\n| mutant | where | change | smallest row | states | what is different |\n|---|---|---|---|---:|---|\n")
	slices.SortStableFunc(found, func(a, b *searched) int { return a.States - b.States })
	for _, s := range found {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %d | %s |\n", s.ID, s.where(), s.change(), cell(s.Row), s.States, strings.TrimSpace(s.Kind+" "+cell(s.What)))
	}
	for _, part := range []struct {
		title, text string
		list        []*searched
	}{
		{"Only numbers differ", "Rows reach what is changed, and nothing that they promise depends on it: they ask for too little, or bounds leave out what would follow.", numbers},
		{"Nothing differs", "Rows call the function, and not with what the change is about: another version of etcd, another request, a full buffer, a timer that fires more often.", nothing},
		{"No row calls the function", "The rows of this size have no such request, fault or option.", uncalled},
	} {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n| mutant | where | change | campaigns kill it by | rows that call the function | why |\n|---|---|---|---|---:|---|\n", part.title, part.text)
		for _, s := range part.list {
			fmt.Fprintf(&out, "| %s | %s | %s | %s | %d | %s |\n", s.ID, s.where(), s.change(), s.killedBy(), s.Entered, s.whyNot())
		}
	}
	return out.String()
}

func keep(list []*searched, which func(*searched) bool) []*searched {
	return slices.DeleteFunc(slices.Clone(list), func(s *searched) bool { return !which(s) })
}

// byGroup counts those that are found, group by group.
func byGroup(out *strings.Builder, title string, list []*searched, group func(*searched) string) {
	var names []string
	for _, s := range list {
		names = append(names, group(s))
	}
	slices.Sort(names)
	fmt.Fprintf(out, "\n| %s | drawn | found |\n|---|---:|---:|\n", title)
	for _, name := range slices.Compact(names) {
		mine := keep(list, func(s *searched) bool { return group(s) == name })
		fmt.Fprintf(out, "| %s | %d | %d |\n", name, len(mine), len(keep(mine, (*searched).isFound)))
	}
}

func (s *searched) where() string { return s.Package + "/" + s.mutant.File + " " + s.mutant.Function }

func (s *searched) change() string {
	return fmt.Sprintf("%s: `%s` to `%s`", s.mutant.Operator, cell(s.mutant.Before), cell(s.mutant.After))
}

func percentOf(k, n int) float64 { return 100 * float64(k) / float64(max(n, 1)) }

// wilson is the 95 % interval of a share of which k of n are seen (Wilson 1927).
func wilson(k, n int) (low, high float64) {
	const z = 1.96
	if n == 0 {
		return 0, 1
	}
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return middle - half, middle + half
}
