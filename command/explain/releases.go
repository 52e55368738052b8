package explain

import (
	"strings"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/release"
)

// releasesWith says for which releases something holds, in words: "3.4.25 to 3.4.30,
// 3.5.8 to 3.5.12". It is empty if it holds for none.
func releasesWith(holds func(version string) bool) string {
	var parts []string
	every := true
	for _, branch := range etcd.Branches() {
		part := spans(branch, holds)
		every = every && len(part) == 1 && part[0] == branch[0].Branch()
		parts = append(parts, part...)
	}
	if every {
		return "every release"
	}
	return strings.Join(parts, ", ")
}

// spans are the releases of one branch, in a row where they follow each other.
func spans(branch []release.Version, holds func(version string) bool) []string {
	var all []string
	for i := 0; i < len(branch); i++ {
		if !holds(branch[i].String()) {
			continue
		}
		first := i
		for i+1 < len(branch) && holds(branch[i+1].String()) {
			i++
		}
		all = append(all, span(branch, first, i))
	}
	return all
}

func span(branch []release.Version, first, last int) string {
	switch {
	case first == 0 && last == len(branch)-1:
		return branch[0].Branch()
	case first == last:
		return branch[first].String()
	case last == len(branch)-1:
		return branch[first].Branch() + " from " + branch[first].String() + " on"
	}
	return branch[first].String() + " to " + branch[last].String()
}
