package main

import (
	"slices"

	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"
)

// lot is what was run of a scenario over a guest so far.
type lot struct {
	Guest, Scenario, Etcd string
	// Schedules ran, from seed first on: one for each seed.
	Schedules uint64
	// Found are the claims that were violated.
	Found []found `json:",omitempty"`
}

// found is a way in which a claim is violated.
type found struct {
	Property, Label string
	// Schedules is how many violate it so, Seed the first of them.
	Schedules, Seed uint64
}

// first is the seed of the first schedule: the table of verdicts has those below it.
const first = 1_000

// Key implements table.Row.
func (l lot) Key() table.Key { return table.Key{Scenario: l.Scenario, Etcd: l.Guest + " " + l.Etcd} }

// String implements table.Row.
func (l lot) String() string { return l.Guest + ": " + l.Scenario }

// etcd is the version that the scenarios run in front of.
const etcd = "3.6.16"

// params are those of a scenario over a guest.
func params(sc *testbed.Scenario, guest string) testbed.Params {
	p := sc.Params
	p.Cache, p.Etcd = guest, etcd
	return p
}

// add takes in what one turn has found.
func (l *lot) add(f found) {
	i := slices.IndexFunc(l.Found, func(x found) bool { return x.Property == f.Property && x.Label == f.Label })
	if i < 0 {
		l.Found = append(l.Found, f)
		return
	}
	l.Found[i].Schedules += f.Schedules
}
