package designs

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/option"

	"github.com/watchbed/watchbed/upstream/guests"
)

// neighbours are the compiled guests that can stand in for this one: the same without its patches, and other releases.
// how is what stands behind their names, and behind its own. What cannot be used, or is not compiled, is none.
func neighbours(compiled, how string, of func(name string) *guest) []option.Neighbour {
	directory, err := guests.Directory()
	if err != nil {
		return nil
	}
	program, _, _ := strings.Cut(compiled, "@")
	release, patches, _ := strings.Cut(compiled, "+")
	var all []option.Neighbour
	for _, name := range guests.Names(directory) {
		n := option.Neighbour{Name: name + how}
		switch {
		case name == compiled, !strings.HasPrefix(name, program+"@v"), strings.Contains(name, "+"):
			continue
		case name == release:
			n.Without = "the patch " + strings.Join(strings.Split(patches, "+"), " and the patch ")
		}
		if _, err := of(name).module(); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// unmixed are the guests of a cluster whose members are not all of one, each of which can be that of all.
func unmixed(members []string) []option.Neighbour {
	var all []option.Neighbour
	for i, name := range members {
		if !slices.Contains(members[:i], name) {
			all = append(all, option.Neighbour{Name: name})
		}
	}
	return all
}
