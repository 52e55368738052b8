package known

import (
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

// general are the rows of every scenario.
var general []testbed.Row

// Register adds rows that hold in every scenario which claims the property. Call it
// in init functions.
func Register(rows ...testbed.Row) { general = append(general, rows...) }

// General are the rows of every scenario about what this one claims.
func General(sc *testbed.Scenario) []testbed.Row { return claimed(sc, general) }

// claimed are the rows with nothing but claims of the scenario. Rows without any of
// these are left out.
func claimed(sc *testbed.Scenario, all []testbed.Row) []testbed.Row {
	var rows []testbed.Row
	for _, r := range all {
		r.Violates = slices.DeleteFunc(slices.Clone(r.Violates), func(p *testbed.Property) bool { return !slices.Contains(sc.Claims, p) })
		if len(r.Violates) > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// Rows is all that is known of a scenario: its own rows, those of every scenario,
// and those about races that it masks and bugs that can be planted.
func Rows(sc *testbed.Scenario) []testbed.Row {
	return slices.Concat(sc.Known, General(sc), Unmasked(sc), Planted(sc))
}

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
