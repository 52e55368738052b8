package proof

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

// checkPlanted refuses a search for a planted bug that the search could not find: the scenario claims what the bug
// violates, and the search judges nothing of that. To call such a world proved would say of the bug that it does no harm.
func checkPlanted(sc *testbed.Scenario, p *testbed.Params, left []*testbed.Property, engine string) error {
	for _, b := range p.Planted() {
		if !slices.Contains(left, b.Property) {
			continue
		}
		judged := func(further *testbed.Property) bool {
			return slices.Contains(sc.Claims, further) && !slices.Contains(left, further)
		}
		if !slices.ContainsFunc(b.Further, judged) {
			return fmt.Errorf("the bug %s violates %s, which a search of %s cannot judge here: its verdict would say nothing of the bug; %s",
				b.Name, b.Property.Name, engine, otherwise(sc, p, b, engine))
		}
	}
	return nil
}

// otherwise is what can find the bug.
func otherwise(sc *testbed.Scenario, p *testbed.Params, b *testbed.KnownBug, engine string) string {
	if engine == ClassSchedules {
		if _, left, err := sc.Provable(*p); err == nil && !slices.Contains(left, b.Property) {
			return "leave out --engine " + ClassSchedules
		}
	}
	return "let run look for it"
}
