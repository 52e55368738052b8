package testbed

import "github.com/watchbed/watchbed/internal/registry"

// KnownBug says where a bug of a cache shows: in which scenario, and which
// property finds it.
type KnownBug struct {
	// Name is its name in Bugs.
	Name     string
	Scenario *Scenario
	Property *Property
	// Strategy with which it is looked for; empty is the one that simrun uses if
	// it is given none.
	Strategy string
	// Why it is this property that finds it.
	Why string
}

var knownBugs = registry.New[*KnownBug]("known bug")

// RegisterKnownBug adds a known bug. It panics if the name is taken; call it in
// package variable declarations or init functions.
func RegisterKnownBug(b *KnownBug) *KnownBug { return knownBugs.Add(b.Name, b) }

// KnownBugs lists the known bugs, in the order of registration.
func KnownBugs() []*KnownBug { return knownBugs.All() }

// Planted are the known bugs that the parameters ask for, by name or by value.
func (p *Params) Planted() []*KnownBug {
	var found []*KnownBug
	for _, bug := range p.Bugs {
		dim, value, err := ResolveBug(bug)
		if err != nil {
			continue
		}
		for _, b := range Bugs() {
			if b.Dimension != dim || b.Value != value {
				continue
			}
			if known, err := knownBugs.Find(b.Name); err == nil {
				found = append(found, known)
			}
		}
	}
	return found
}
