package smaller

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Options are the flags that make the world smaller, each by itself: one of everything that there are more of, no fault, and no timer
// that fires on its own, unless firings is 0 anyway. What makes no system is left out.
func Options(sc *testbed.Scenario, p *testbed.Params, firings int) []string {
	var all []string
	if p.Clock.Mode == sim.Untimed && firings > 0 {
		all = append(all, "--firings 0")
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

// Sized are the flags by which a world gets the size of one that was searched: its settings and its firings. Its design and its release are
// left out, and what was given in settings of the same names gives way.
func Sized(world *proofs.Search, given []string) []string {
	words := strings.Fields(world.Asked)[1:]
	var flags, names []string
	for i := 0; i+1 < len(words); i += 2 {
		name, _, _ := strings.Cut(words[i+1], "=")
		if words[i] == "--etcd" || words[i] == "--cache" || words[i] == "--set" && (name == "etcd" || name == "cache") {
			continue
		}
		flags, names = append(flags, words[i], words[i+1]), append(names, name)
	}
	var kept []string
	for _, setting := range given {
		if name, _, _ := strings.Cut(setting, "="); !slices.Contains(names, name) {
			kept = append(kept, "--set", setting)
		}
	}
	return append(kept, flags...)
}

// Of is the release and the design of a world that was searched: "etcd 3.6.16 with kep-2340".
func Of(world *proofs.Search, sc *testbed.Scenario) string {
	etcd, cache := sc.Params.Etcd, sc.Params.Cache
	words := strings.Fields(world.Asked)
	for _, w := range words {
		etcd, cache = after(w, "etcd=", etcd), after(w, "cache=", cache)
	}
	for i, w := range words[:len(words)-1] {
		switch w {
		case "--etcd":
			etcd = words[i+1]
		case "--cache":
			cache = words[i+1]
		}
	}
	return "etcd " + etcd + " with " + cache
}

func after(word, prefix, other string) string {
	if rest, found := strings.CutPrefix(word, prefix); found {
		return rest
	}
	return other
}

// quickly is how many states are found in seconds.
const quickly = 100_000

// Searched is a row of the table of proofs about the scenario: with the same design and the same release of etcd if there is one, and of
// those the largest that is searched quickly, or else the smallest. It is nil if the table has none.
func Searched(sc *testbed.Scenario, p *testbed.Params) *proofs.Search {
	var best *proofs.Search
	var bestRank []int
	for _, s := range proofs.Searches() {
		words := strings.Fields(s.Asked)
		// A row that sets the design twice is not for the command line.
		if words[0] != sc.Name || s.Verdict != "proved" || slices.Contains(words, "cache="+p.Cache) {
			continue
		}
		size := s.States
		if size > quickly {
			size = -size
		}
		rank := []int{is(slices.Contains(words, p.Cache)), is(slices.Contains(words, p.Etcd)), size}
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
