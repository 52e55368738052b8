package flip

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// span says which releases or designs have a value of a behaviour: releases of the branch in question,
// or designs of the cache.
type span struct {
	text string
	// later: releases after the one in question have it, so it is what changed.
	later bool
}

// releases finds out which have a value, without bugs, settings and masks: it is
// about what was released.
func releases(p testbed.Params, d testbed.Dimension, value string) span {
	masked := slices.ContainsFunc(p.Masked(), func(r testbed.Race) bool { return r.Option == d.Name })
	chosen := slices.Contains(p.Settings, d.Name+"="+d.Value)
	p = p.AsReleased()
	if bug := knownBug(d.Of, d.Name, d.Value); bug != nil && d.Of == "cache" {
		if bug.FixedIn == "" {
			return span{later: true}
		}
		return span{bug.FixedIn + " and later", true}
	}
	if d.Of == "cache" {
		return designs(p, d.Name, value)
	}
	subject, set := "etcd", func(v string) { p.Etcd = v }
	version := p.Etcd
	if d.Of == "client" {
		subject, set = "clientv3", func(v string) { p.Client = v }
		if p.Client != "" {
			version = p.Client
		}
	}
	branch, present, ok := cutPatch(version)
	if !ok {
		return span{}
	}
	newest := present
	for _, v := range etcd.Versions() {
		if b, patch, _ := cutPatch(v); b == branch {
			newest = max(newest, patch)
		}
	}
	first, last := -1, -1
	for patch := range newest + 1 {
		set(branch + strconv.Itoa(patch))
		if has(p, d.Name, value) {
			if first < 0 {
				first = patch
			}
			last = patch
		}
	}
	name := func(patch int) string { return branch + strconv.Itoa(patch) }
	switch {
	case first < 0:
		return span{text: "which no release of this branch has"}
	case first > present && last == newest:
		return span{subject + " from " + name(first) + " on", true}
	case first > present && first == last:
		return span{subject + " " + name(first), true}
	case first > present:
		return span{subject + " " + name(first) + " to " + name(last), true}
	case last < present:
		return span{subject + " up to " + name(last), false}
	}
	// The present release has it. If a bug was put on top, to take that away is
	// the remedy; what a scenario masks or sets makes nothing better.
	return span{subject + " " + name(present) + " as released", !masked && !chosen}
}

// knownBug is the bug of the cache or of the client library that a value of a
// behaviour is, nil if it is none. What versions of etcd differ in is not asked.
func knownBug(of, dimension, value string) *testbed.Bug {
	if of == "etcd" {
		return nil
	}
	for _, b := range testbed.Bugs() {
		if b.Of == of && b.Dimension == dimension && b.Value == value {
			return &b
		}
	}
	return nil
}

// designs lists the cache designs that have the value.
func designs(p testbed.Params, dimension, value string) span {
	var names []string
	for _, d := range cache.Designs() {
		p.Cache = d.Name
		if has(p, dimension, value) {
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

func has(p testbed.Params, dimension, value string) bool {
	b, err := p.Behaviours()
	return err == nil && slices.ContainsFunc(b.Dimensions(), func(d testbed.Dimension) bool {
		return d.Name == dimension && d.Value == value
	})
}

// cutPatch splits "3.5.7" into "3.5." and 7.
func cutPatch(version string) (branch string, patch int, ok bool) {
	version = strings.TrimPrefix(version, "v")
	i := strings.LastIndexByte(version, '.')
	patch, err := strconv.Atoi(version[i+1:])
	return version[:i+1], patch, i > 0 && err == nil
}
