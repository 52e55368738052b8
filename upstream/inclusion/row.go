package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/watchbed/watchbed/upstream/table"
)

// row is what the comparison of a world on a release came to. All of it is measured.
type row struct {
	World, Etcd string
	// Simulated is how many traces the simulated server can show, in how many states.
	Simulated, States int
	// Released is how many traces that many random schedules of the released code have shown, Once how many of them a single schedule,
	// and Reached how many more a search for them.
	Schedules, Released, Once, Reached int
	// Preempted is how many more the code shows if its goroutines also give way where a thread of a server may be preempted.
	Preempted int
	// ReleasedOnly are traces of the released code that the simulated server cannot show, SimulatedOnly those of the
	// simulated server that the released code was not seen to show.
	ReleasedOnly, SimulatedOnly []string `json:",omitempty"`
}

// String is a line about it.
func (r *row) String() string {
	line := fmt.Sprintf("%s on etcd %s: %d simulated traces, %d of the code, %d searched for, %d with preemption", r.World, r.Etcd, r.Simulated, r.Released, r.Reached, r.Preempted)
	if n := len(r.ReleasedOnly); n > 0 {
		line += fmt.Sprintf("; %d of the code ALONE, such as %s", n, r.ReleasedOnly[0])
	}
	if n := len(r.SimulatedOnly); n > 0 {
		line += fmt.Sprintf("; %d simulated alone", n)
	}
	return line
}

// data is the file with all rows.
const data = "inclusion.json"

// rowOf is the row of a world on a version, nil if there is none.
func rowOf(rows []row, world, version string) *row {
	if i := slices.IndexFunc(rows, func(r row) bool { return r.World == world && r.Etcd == version }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// keep puts a row in the place of the one of the same world and version, in the order of the worlds, and writes the table.
// Rows of worlds that are not there any more go.
func keep(rows []row, r row) ([]row, error) {
	var all []row
	for _, of := range worlds {
		for _, version := range versions {
			switch old := rowOf(rows, of.Name, version); {
			case r.World == of.Name && r.Etcd == version:
				all = append(all, r)
			case old != nil:
				all = append(all, *old)
			}
		}
	}
	return all, table.Write(filepath.Join(folder, data), all)
}
