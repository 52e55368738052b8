package main

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/upstream/table"
)

// row is what the comparison of a world came to. All of it is measured.
type row struct {
	World string
	// Simulated is how many traces the simulated cache can show, in how many states.
	Simulated, States int
	// Released is how many traces that many random schedules of the released code have shown, Once how many of them a single schedule,
	// and Reached how many more a search for them.
	Schedules, Released, Once, Reached int
	// ReleasedOnly are traces of the released code that the simulated cache cannot show, SimulatedOnly those of the
	// simulated cache that the released code was not seen to show.
	ReleasedOnly, SimulatedOnly []string `json:",omitempty"`
}

// String is a line about it.
func (r *row) String() string {
	line := fmt.Sprintf("%s: %d simulated traces in %d states, %d of the code, %d searched for", r.World, r.Simulated, r.States, r.Released, r.Reached)
	if n := len(r.ReleasedOnly); n > 0 {
		line += fmt.Sprintf("; %d of the code ALONE, such as %s", n, r.ReleasedOnly[0])
	}
	if n := len(r.SimulatedOnly); n > 0 {
		line += fmt.Sprintf("; %d simulated alone", n)
	}
	return line
}

// data is the file with all rows.
const data = "cachetraces.json"

// rowOf is the row of a world, nil if there is none.
func rowOf(rows []row, world string) *row {
	if i := slices.IndexFunc(rows, func(r row) bool { return r.World == world }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// keep puts a row in the place of the one of the same world, in the order of the worlds, and writes the table. Rows of worlds that
// are not there any more go.
func keep(path string, rows []row, r row) ([]row, error) {
	var all []row
	for _, of := range worlds {
		switch old := rowOf(rows, of.Name); {
		case r.World == of.Name:
			all = append(all, r)
		case old != nil:
			all = append(all, *old)
		}
	}
	return all, table.Write(path, all)
}
