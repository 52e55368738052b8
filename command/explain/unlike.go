package explain

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// violatedUnlike lists the scenarios in which every campaign violates a property if an
// option has a value, and none is known to do so if it has the other value. All other
// parameters are the scenario's own. Scenarios with the same reasons are one item.
func violatedUnlike(option, value, other string) []Item {
	var all []unlike
	for _, sc := range testbed.Scenarios() {
		u, ok := unlikeIn(sc, option, value, other)
		if !ok {
			continue
		}
		same := slices.IndexFunc(all, func(x unlike) bool { return slices.Equal(x.reasons, u.reasons) })
		if same < 0 {
			all = append(all, u)
			continue
		}
		all[same].scenarios = append(all[same].scenarios, sc.Name)
		all[same].properties = with(all[same].properties, u.properties...)
	}
	var items []Item
	for _, u := range all {
		items = append(items, Item{joined(u.scenarios), []string{joined(u.properties), "because " + strings.Join(u.reasons, "; ")}})
	}
	return items
}

// unlike are scenarios that tell two values apart for the same reasons.
type unlike struct {
	scenarios, properties, reasons []string
}

func unlikeIn(sc *testbed.Scenario, option, value, other string) (unlike, bool) {
	u := unlike{scenarios: []string{sc.Name}}
	this, err := sc.Params.With(option, value)
	if err != nil {
		return u, false
	}
	that, err := sc.Params.With(option, other)
	if err != nil {
		return u, false
	}
	passed := known.Names(known.Violations(sc, &that))
	for _, v := range known.Expected(sc, &this) {
		if !slices.Contains(passed, v.Property.Name) {
			u.properties = with(u.properties, v.Property.Name)
			u.reasons = with(u.reasons, v.Because...)
		}
	}
	return u, len(u.properties) > 0
}

// with adds what is not there yet.
func with(list []string, more ...string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
