package explain

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// setBy says which releases, designs, bugs, masks and scenarios give an option which
// value.
type setBy struct {
	// values are in the order in which they were found.
	values []string
	lines  map[string][]string
	// byRelease: releases differ in it.
	byRelease bool
}

func (s *setBy) add(value, line string) {
	if !slices.Contains(s.values, value) {
		s.values = append(s.values, value)
	}
	s.lines[value] = append(s.lines[value], line)
}

// presetsOf looks through everything that sets options. What all releases or all
// designs have alike is the default, and left out.
func presetsOf(o *testbed.Described) *setBy {
	s := &setBy{lines: map[string][]string{}}
	if _, err := etcd.Group.Find(o.Name); err == nil {
		s.releases("etcd", func(version string) (string, bool) { return valueIn(etcd.Group, etcd.OptionsOf, version, o.Name) })
	}
	if _, err := client.Group.Find(o.Name); err == nil {
		s.releases("clientv3", func(version string) (string, bool) { return valueIn(client.Group, client.OptionsOf, version, o.Name) })
	}
	if _, err := cache.Group.Find(o.Name); err == nil {
		valuesOf(s, "design", cache.Designs(), func(d cache.Design) (name, value string) {
			value, _ = option.ValueIn(d.Settings, o.Name)
			return d.Name, value
		})
	}
	for _, b := range testbed.KnownBugs() {
		if planted := b.Planting(); planted.Name == o.Name {
			s.add(planted.Value, "the known bug "+b.Name+", which "+shows(b))
		}
	}
	for _, r := range testbed.Races() {
		if r.Option == o.Name {
			s.add(r.Value, "every scenario but those that unmask it: "+r.What+" otherwise (unmask="+r.Option+")")
		}
	}
	// Those whose own parameters set the option.
	valuesOf(s, "scenario", testbed.Scenarios(), func(sc *testbed.Scenario) (string, string) { return sc.Name, sc.Params.GivenValue(o.Name) })
	return s
}

// valueIn is the value of an option in a release, false if there is no such release: the first of
// etcd's have no client library.
func valueIn[C any](g option.Group[C], of func(string) (C, error), version, name string) (value string, ok bool) {
	c, err := of(version)
	if err != nil {
		return "", false
	}
	o, err := g.Find(name)
	if err != nil {
		return "", false
	}
	return o.Get(&c), true
}

func (s *setBy) releases(subject string, value func(version string) (string, bool)) {
	var values []string
	for _, branch := range etcd.Branches() {
		for _, v := range branch {
			if has, ok := value(v.String()); ok && !slices.Contains(values, has) {
				values = append(values, has)
			}
		}
	}
	if len(values) < 2 {
		return
	}
	s.byRelease = true
	for _, has := range values {
		s.add(has, subject+" "+releasesWith(func(version string) bool { of, ok := value(version); return ok && of == has }))
	}
}

// valuesOf adds the values of things, each with the names of the things that have it.
func valuesOf[T any](s *setBy, noun string, things []T, of func(T) (name, value string)) {
	byValue := map[string][]string{}
	var values []string
	for _, x := range things {
		name, value := of(x)
		if value != "" && byValue[value] == nil {
			values = append(values, value)
		}
		byValue[value] = append(byValue[value], name)
	}
	for _, value := range values {
		names := byValue[value]
		if len(names) > 1 {
			s.add(value, noun+"s "+joined(names))
		} else {
			s.add(value, noun+" "+joined(names))
		}
	}
}

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
