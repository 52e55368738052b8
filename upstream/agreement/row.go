package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
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
type tally struct{ Checked, Violated uint64 }

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

// key names a row.
func (r *row) key() [2]string { return [2]string{r.Scenario, r.Etcd} }

// rowOf is the row of a scenario and a version, nil if there is none.
func rowOf(rows []row, scenario, version string) *row {
	if i := slices.IndexFunc(rows, func(r row) bool { return r.key() == [2]string{scenario, version} }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// counts is how often each side violates a claim.
func (r *row) counts(c claim) string {
	return fmt.Sprintf("code %d of %d, model %d of %d", c.Code.Violated, r.Code, c.Model.Violated, r.Model)
}

// String is a line about it.
func (r *row) String() string {
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

// data is the file with all rows, page the one that shows them.
const (
	data = "agreement.json"
	page = "README.md"
)

func read(path string) ([]row, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []row
	return rows, json.Unmarshal(text, &rows)
}

func write(path string, rows []row) error {
	text, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
