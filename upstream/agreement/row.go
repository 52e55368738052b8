package main

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/upstream/table"
)

// row is what a scenario says over the code of a release and over the simulated server of it. All of it is measured.
type row struct {
	Scenario, Etcd string
	// Refused is why no such world can be put together, empty if one can.
	Refused string `json:",omitempty"`
	// Code and Model are how many schedules ran over each side, from seed 0 on.
	Code   uint64  `json:",omitempty"`
	Model  uint64  `json:",omitempty"`
	Claims []claim `json:",omitempty"`
}

// claim is one property that a scenario claims, over both sides.
type claim struct {
	Property    string
	Code, Model tally
}

// tally is how often a property was checked, and in how many schedules it was violated.
type tally struct {
	Checked  uint64 `json:",omitempty"`
	Violated uint64 `json:",omitempty"`
}

// differs reports whether one side alone violates the property.
func (c claim) differs() bool { return (c.Code.Violated > 0) != (c.Model.Violated > 0) }

// unseen reports whether the property is judged over the model alone.
func (c claim) unseen() bool { return c.Code.Checked == 0 && c.Model.Checked > 0 }

// differences are the claims that one side alone violates. What is never judged over the code of a release says
// nothing about it.
func (r *row) differences() []claim {
	return r.those(func(c claim) bool { return c.differs() && !c.unseen() })
}

// those are the claims that match.
func (r *row) those(match func(claim) bool) []claim {
	return slices.DeleteFunc(slices.Clone(r.Claims), func(c claim) bool { return !match(c) })
}

// Key implements table.Row.
func (r row) Key() table.Key { return table.Key{Scenario: r.Scenario, Etcd: r.Etcd} }

// counts is how often each side violates a claim.
func (r *row) counts(c claim) string {
	return fmt.Sprintf("code %d of %d, model %d of %d", c.Code.Violated, r.Code, c.Model.Violated, r.Model)
}

// String implements table.Row.
func (r row) String() string {
	if r.Refused != "" {
		return fmt.Sprintf("%s on etcd %s: %s", r.Scenario, r.Etcd, r.Refused)
	}
	line := fmt.Sprintf("%s on etcd %s, %d and %d schedules", r.Scenario, r.Etcd, r.Code, r.Model)
	for _, c := range r.Claims {
		switch {
		case c.unseen():
			line += fmt.Sprintf("; %s not checked", c.Property)
		case c.differs():
			line += fmt.Sprintf("; DIFFERS: %s, %s", c.Property, r.counts(c))
		case c.Code.Violated > 0:
			line += fmt.Sprintf("; %s, %s", c.Property, r.counts(c))
		}
	}
	return line
}

// data is the file with all rows.
const data = "agreement.json"
