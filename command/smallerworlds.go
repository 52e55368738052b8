package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// smaller is said behind a search that a limit or an interrupt has ended.
func (f *proveFlags) smaller(s process, sc *testbed.Scenario, p *testbed.Params) error {
	page := &report.Page{To: s.terminal()}
	if less := smallerOptions(sc, p, f.timerBound); len(less) > 0 {
		page.WriteString("\n")
		page.Line(0, "These make the world smaller: %s.", strings.Join(less, ", "))
	}
	if world := searchedLike(sc, p); world != nil {
		page.WriteString("\n")
		etcd, cache := nodesOf(world, sc)
		page.Line(0, "A small world of this scenario has %s on etcd %s with %s. This makes yours as small:",
			report.Counted(uint64(world.States), "state"), etcd, cache)
		page.Copied(2, s.program+" prove "+strings.Join(f.sized(sc, world), " "))
	}
	return page.End(s.out)
}

// sized is what was asked, of a world of that size.
func (f *proveFlags) sized(sc *testbed.Scenario, world *proofs.Search) []string {
	words := []string{sc.Name}
	for _, given := range [][2]string{{"--etcd", f.etcd}, {"--client", f.client}, {"--cache", f.cache}} {
		if given[1] != "" {
			words = append(words, given[0], recording.ShellWord(given[1]))
		}
	}
	for _, bug := range f.bugs {
		words = append(words, "--bug", bug)
	}
	for _, word := range sizedAs(world, f.set) {
		words = append(words, recording.ShellWord(word))
	}
	return words
}

// smallerOptions are the flags that make the world smaller, each by itself: one of everything that there are more of,
// no fault, and no timer that fires on its own, unless timerBound is 0 anyway. What makes no system is left out.
func smallerOptions(sc *testbed.Scenario, p *testbed.Params, timerBound int) []string {
	var all []string
	if p.Clock.Mode == sim.Untimed && timerBound > 0 {
		all = append(all, "--timer-bound 0")
	}
	of := map[string]string{}
	for _, o := range testbed.Describe() {
		of[o.Name] = o.Node
	}
	for _, s := range p.Extent() {
		n, err := strconv.Atoi(s.Value)
		if err != nil {
			continue
		}
		least := 1
		if of[s.Name] == "faults" {
			least = 0
		}
		if n > least && fits(sc, p, s.Name, strconv.Itoa(least)) {
			all = append(all, fmt.Sprintf("--set %s=%d (not %d)", s.Name, least, n))
		}
	}
	if p.Clock.Mode == sim.Timed {
		for _, delay := range []string{"network", "scheduling"} {
			if p.GivenValue(delay) != "" && fits(sc, p, delay, "0s") {
				all = append(all, "--set "+delay+"=0s")
			}
		}
	}
	return all
}

func fits(sc *testbed.Scenario, p *testbed.Params, name, value string) bool {
	less, err := p.With(name, value)
	if err == nil {
		_, err = sc.Subjects(less)
	}
	return err == nil
}

// sizeFlag is a flag that a world was searched with, and the option that it sets.
type sizeFlag struct{ flag, value, option string }

func flagsOf(world *proofs.Search) []sizeFlag {
	var all []sizeFlag
	// A flag and its value take turns behind the scenario.
	for words := range slices.Chunk(strings.Fields(world.Asked)[1:], 2) {
		option := strings.TrimPrefix(words[0], "--")
		if option == "set" {
			option, _, _ = strings.Cut(words[1], "=")
		}
		all = append(all, sizeFlag{words[0], words[1], option})
	}
	return all
}

// isSetting reports whether it sets an option of the release or of the design.
func (f *sizeFlag) isSetting() bool {
	p, err := new(testbed.Params).With(f.option, strings.TrimPrefix(f.value, f.option+"="))
	return f.flag == "--set" && err == nil && len(p.Settings) > 0
}

// sizedAs are the flags by which a world gets the size of a searched world: how many there are of everything, its
// delays and its timerBound. Given settings of the same names give way.
func sizedAs(world *proofs.Search, given []string) []string {
	of := slices.DeleteFunc(flagsOf(world), func(f sizeFlag) bool { return f.option == "etcd" || f.option == "cache" || f.isSetting() })
	var words []string
	for _, setting := range given {
		name, _, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(of, func(f sizeFlag) bool { return f.option == name }) {
			words = append(words, "--set", setting)
		}
	}
	for _, f := range of {
		words = append(words, f.flag, f.value)
	}
	return words
}

// nodesOf are the release and the design of a world that was searched. A setting stands behind the flag that it
// overrules.
func nodesOf(world *proofs.Search, sc *testbed.Scenario) (etcd, cache string) {
	etcd, cache = sc.Params.Etcd, sc.Params.Cache
	for _, f := range flagsOf(world) {
		value := strings.TrimPrefix(f.value, f.option+"=")
		switch f.option {
		case "etcd":
			etcd = value
		case "cache":
			cache = value
		}
	}
	return etcd, cache
}

// quickly is how many states are found in seconds.
const quickly = 100_000

// searchedLike is a row of the table of proofs about the scenario: if there is one, without other options of its design
// and its release, with the same design, and on the same release of etcd; and of those the largest that is searched
// quickly, or else the smallest. It is nil if the table has none.
func searchedLike(sc *testbed.Scenario, p *testbed.Params) *proofs.Search {
	var best *proofs.Search
	var bestRank []int
	for _, s := range proofs.Kept().Proofs {
		if strings.Fields(s.Asked)[0] != sc.Name || s.Verdict != "proved" {
			continue
		}
		etcd, cache := nodesOf(&s, sc)
		size := s.States
		if size > quickly {
			size = -size
		}
		own := !slices.ContainsFunc(flagsOf(&s), func(f sizeFlag) bool { return f.isSetting() })
		rank := []int{is(own), is(cache == p.Cache), is(etcd == p.Etcd), size}
		if best == nil || cmp.Or(slices.Compare(rank, bestRank), cmp.Compare(best.Asked, s.Asked)) > 0 {
			best, bestRank = &s, rank
		}
	}
	return best
}

func is(b bool) int {
	if b {
		return 1
	}
	return 0
}
