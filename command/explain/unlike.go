package explain

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// violatedUnlike lists the scenarios in which every campaign violates a property if an
// option has a value, and none is known to do so if it has the other value. All other
// parameters are the scenario's own. Scenarios with the same reasons are one item.
func violatedUnlike(option, value, other string) (items []Item) {
	type unlike struct{ scenarios, properties, reasons []string }
	var all []*unlike
	for _, sc := range testbed.Scenarios() {
		this, err := sc.Params.With(option, value)
		that, unfit := sc.Params.With(option, other)
		if err != nil || unfit != nil {
			continue
		}
		if _, err := sc.New(this); err != nil {
			continue
		}
		var u unlike
		passed := known.Names(known.Violations(sc, &that))
		for _, v := range known.Expected(sc, &this) {
			if !slices.Contains(passed, v.Property.Name) {
				u.properties, u.reasons = registry.With(u.properties, v.Property.Name), registry.With(u.reasons, v.Because...)
			}
		}
		if len(u.properties) == 0 {
			continue
		}
		at := slices.IndexFunc(all, func(x *unlike) bool { return slices.Equal(x.reasons, u.reasons) })
		if at < 0 {
			at = len(all)
			all = append(all, &unlike{reasons: u.reasons})
		}
		all[at].scenarios, all[at].properties = append(all[at].scenarios, sc.Name), registry.With(all[at].properties, u.properties...)
	}
	for _, u := range all {
		items = append(items, Item{joined(u.scenarios), []string{joined(u.properties), "because " + strings.Join(u.reasons, "; ")}})
	}
	return items
}
