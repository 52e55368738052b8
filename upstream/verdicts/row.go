package main

import (
	"fmt"

	"github.com/watchbed/watchbed/upstream/table"
)

// row is what a scenario says over a guest in front of one version of etcd. All of it is measured.
type row struct {
	Scenario, Etcd string
	// Refused is why no such world can be put together, empty if one can. NoCache: the world has no
	// cache, so that there is nothing to say of one.
	Refused string `json:",omitempty"`
	NoCache bool   `json:",omitempty"`
	// Schedules is how many ran, from seed 0 on, Truncated how many of these reached the limit of steps.
	Schedules uint64  `json:",omitempty"`
	Truncated uint64  `json:",omitempty"`
	Claims    []claim `json:",omitempty"`
}

// claim is one property that a scenario claims.
type claim struct {
	Property string
	// Checked is how often it was, Violated in how many schedules it was violated.
	Checked  uint64 `json:",omitempty"`
	Violated uint64 `json:",omitempty"`
}

// Key implements table.Row.
func (r row) Key() table.Key { return table.Key{Scenario: r.Scenario, Etcd: r.Etcd} }

// String implements table.Row.
func (r row) String() string {
	switch {
	case r.Refused != "":
		return fmt.Sprintf("%s on etcd %s: %s", r.Scenario, r.Etcd, r.Refused)
	case r.NoCache:
		return fmt.Sprintf("%s on etcd %s: no cache", r.Scenario, r.Etcd)
	}
	line := fmt.Sprintf("%s on etcd %s, %d schedules:", r.Scenario, r.Etcd, r.Schedules)
	for _, c := range r.Claims {
		switch {
		case c.Violated > 0:
			line += fmt.Sprintf(" %s violated in %d of them,", c.Property, c.Violated)
		case c.Checked == 0:
			line += fmt.Sprintf(" %s never checked,", c.Property)
		}
	}
	return line[:len(line)-1]
}

// data is the file with all rows.
const data = "verdicts.json"
