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
