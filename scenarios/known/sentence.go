package known

import (
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

// Premise begins a row that reads as a sentence:
//
//	known.When(known.EchoProves).Violates(reads.Linearizable).Because("the member that echoes may lag")
type Premise struct{ row testbed.Row }

// Finding is a row without its reason.
type Finding struct{ row testbed.Row }

// When begins a row that holds under all of these conditions, or always if there are
// none.
func When(conditions ...testbed.Condition) Premise { return Premise{testbed.Row{When: conditions}} }

// Violates names what is violated then. Every campaign finds it.
func (p Premise) Violates(properties ...*testbed.Property) Finding {
	p.row.Violates = properties
	return Finding(p)
}

// RarelyViolates names what is violated then, and what a campaign may miss.
func (p Premise) RarelyViolates(properties ...*testbed.Property) Finding {
	p.row.Rarely = true
	return p.Violates(properties...)
}

// Because gives the reason: one sentence with the numbers of issues.
func (f Finding) Because(reason string) []testbed.Row {
	f.row.Because = reason
	return []testbed.Row{f.row}
}

// Rarely are the same rows where a campaign may miss the violations.
func Rarely(rows []testbed.Row) []testbed.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Rarely = true
	}
	return rows
}

// Where are the same rows under more conditions.
func Where(rows []testbed.Row, conditions ...testbed.Condition) []testbed.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].When = slices.Concat(rows[i].When, conditions)
	}
	return rows
}

// Violating are the same rows with other properties in the place of theirs.
func Violating(rows []testbed.Row, properties ...*testbed.Property) []testbed.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Violates = properties
	}
	return rows
}
