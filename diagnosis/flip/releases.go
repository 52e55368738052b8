package flip

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

// span says which releases of the branch in question have a value of a behaviour,
// or which designs of the cache.
type span struct {
	text string
	// later: releases after the one in question have it, so it is what changed. earlier: those before it have it.
	later, earlier bool
	// none: no release has it, so it is a proposal.
	none bool
}

// releases finds out which have a value, without bugs, settings and masks: it is
// about what was released.
func releases(sc *testbed.Scenario, p testbed.Params, d testbed.Choice, value string) span {
	masked := slices.ContainsFunc(p.Masked(), func(r testbed.Race) bool { return r.Option == d.Name })
	chosen := slices.Contains(sc.Params.Settings, option.Setting{Name: d.Name, Value: d.Value})
	p = p.AsReleased()
	if bug := knownBug(d.Node, d.Name, d.Value); bug != nil && d.Node != "client" {
		if bug.FixedIn.Of == "" {
			return span{later: true}
		}
		return span{text: "as fixed in " + bug.FixedIn.String(), later: true}
	}
	switch d.Node {
	case "cache":
		return designs(p, d.Name, value)
	case "informers", "compactor":
		return span{text: "as shipped"}
	}
	subject, set, version := "etcd", func(v string) { p.Etcd = v }, p.Etcd
	if d.Node == "client" {
		subject, set, version = "clientv3", func(v string) { p.Client = v }, p.ClientVersion()
	}
	present, err := release.Parse(version)
	if err != nil {
		return span{}
	}
	havingOf := func(branch []release.Version) (having []release.Version) {
		for _, v := range branch {
			if set(v.String()); has(p, d.Name, value) {
				having = append(having, v)
			}
		}
		return having
	}
	branch := patchesOf(present)
	having := havingOf(branch)
	if len(having) == 0 {
		before := span{text: "which no release has", none: true}
		for _, branch := range etcd.Branches() {
			having := havingOf(branch)
			switch {
			case len(having) == 0:
			case present.Before(branch[0]):
				// A branch that is not maintained any more gets no fix.
				return span{text: between(subject, having, branch), later: true}
			default:
				before = span{text: between(subject, having, branch), earlier: true}
			}
		}
		return before
	}
	switch {
	case present.Before(having[0]):
		return span{text: between(subject, having, branch), later: true}
	case having[len(having)-1].Before(present):
		return span{text: between(subject, having, branch), earlier: true}
	}
	// The present release has it. If a bug was put on top, to take that away is
	// the remedy; what a scenario masks or sets makes nothing better.
	return span{text: fmt.Sprintf("%s %s as released", subject, present), later: !masked && !chosen}
}

// between words the releases of a branch that have something.
func between(subject string, having, branch []release.Version) string {
	first, last := having[0], having[len(having)-1]
	switch {
	case last == branch[len(branch)-1]:
		return fmt.Sprintf("%s %d.%d from %s on", subject, first.Major, first.Minor, first)
	case first == branch[0]:
		return fmt.Sprintf("%s %d.%d up to %s", subject, last.Major, last.Minor, last)
	case first == last:
		return fmt.Sprintf("%s %s", subject, first)
	}
	return fmt.Sprintf("%s %s to %s", subject, first, last)
}

// patchesOf are the releases of a branch, from the first to the newest one known.
func patchesOf(v release.Version) []release.Version {
	newest := v
	for _, text := range etcd.Versions() {
		if x, err := release.Parse(text); err == nil && x.SameBranch(v) && newest.Before(x) {
			newest = x
		}
	}
	var all []release.Version
	for patch := range newest.Patch + 1 {
		all = append(all, release.Version{Major: v.Major, Minor: v.Minor, Patch: patch})
	}
	return all
}

// knownBug is the bug that a value of a behaviour is, nil if it is none. What versions
// of etcd differ in is not asked.
func knownBug(node, name, value string) *testbed.KnownBug {
	if node == "etcd" {
		return nil
	}
	return bugOf(node, name, value)
}

// bugOf is the known bug that a value of a behaviour is, also of etcd.
func bugOf(node, name, value string) *testbed.KnownBug {
	for _, b := range testbed.KnownBugs() {
		if b.Node() == node && b.Planting() == (option.Setting{Name: name, Value: value}) {
			return b
		}
	}
	return nil
}

// designs lists the cache designs that have the value.
func designs(p testbed.Params, option, value string) span {
	var names []string
	for _, d := range cache.Designs() {
		p.Cache = d.Name
		if has(p, option, value) {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return span{}
	}
	noun := "as in the design "
	if len(names) > 1 {
		noun = "as in the designs "
	}
	return span{text: noun + strings.Join(names, ", ")}
}

func has(p testbed.Params, name, value string) bool {
	n, err := p.Nodes()
	return err == nil && n.Value(name) == value
}
