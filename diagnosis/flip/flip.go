package flip

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/testbed"
)

// search is one violation whose deciding behaviour is looked for.
type search struct {
	scenario *testbed.Scenario
	params   testbed.Params
	rec      *recording.Recording
	failure  explore.Failure
	// alike are other runs that fail in the same way.
	alike []*recording.Recording
}

// Decide finds the behaviour that decides how the recording fails, nil if no
// single one does. etcd's own behaviours come first, since that is where fixes
// are made; then the client library's, then the cache's.
func Decide(sc *testbed.Scenario, p testbed.Params, rec *recording.Recording, f explore.Failure) *Decision {
	b, err := p.Nodes()
	if err != nil {
		return nil
	}
	s := &search{sc, p, rec, f, alike(sc, p, f, rec.Seed)}
	var found []*Decision
	for _, choice := range plantedFirst(p, b.Choices()) {
		if len(found) > 0 && found[0].strict && (found[0].planted || found[0].choice.Node != choice.Node) {
			break
		}
		if d := s.decide(choice); d != nil {
			found = append(found, d)
			slices.SortStableFunc(found, func(a, b *Decision) int { return a.rank(b) })
		}
	}
	if len(found) == 0 {
		return nil
	}
	for _, d := range found[1:] {
		if d.strict && found[0].strict && d.choice.Node == found[0].choice.Node && d.values[0].since.later {
			found[0].also = append(found[0].also, d)
		}
	}
	return found[0]
}

// isPlanted reports whether the parameters name this bug of the cache or of the
// client library.
func isPlanted(p testbed.Params, choice testbed.Choice) bool {
	bug := knownBug(choice.Node, choice.Name, choice.Value)
	return bug != nil && p.Plants(bug)
}

// plantedFirst puts the behaviours of planted bugs before all others: the
// question about a planted bug is whether it decides, and not which etcd would
// hide it.
func plantedFirst(p testbed.Params, dims []testbed.Choice) []testbed.Choice {
	dims = slices.Clone(dims)
	slices.SortStableFunc(dims, func(a, b testbed.Choice) int {
		switch x, y := isPlanted(p, a), isPlanted(p, b); {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	return dims
}

// decide tries all other values of one behaviour; nil if it does not decide.
func (s *search) decide(choice testbed.Choice) *Decision {
	if choice.Node == "etcd" && s.params.ChangesMember() {
		// A flipped behaviour is that of every member, and hides that the version
		// changed.
		return nil
	}
	d := &Decision{choice: choice, strict: true, planted: isPlanted(s.params, choice)}
	var weak []trial
	for _, value := range choice.Values {
		if value == choice.Value || knownBug(choice.Node, choice.Name, value) != nil {
			continue
		}
		flipped, err := s.params.With(choice.Name, value)
		if err != nil {
			continue
		}
		where := s.readsWith(flipped)
		if where == readsGoStale || where == readsBypass && d.planted {
			continue
		}
		v, ok := s.try(flipped)
		if !ok {
			continue
		}
		v.name, v.since, v.bypasses = value, releases(s.scenario, s.params, choice, value), where == readsBypass
		if v.convincing() {
			d.values = append(d.values, v)
		} else if v.plausible() {
			weak = append(weak, v)
		}
	}
	if len(d.values) == 0 {
		d.values, d.strict = weak, false
	}
	if len(d.values) == 0 || !d.planted && onlyOtherBugs(choice, d.values) {
		return nil
	}
	// What later releases have, if any has.
	if slices.ContainsFunc(d.values, func(v trial) bool { return v.since.later }) {
		d.values = slices.DeleteFunc(d.values, func(v trial) bool { return !v.since.later })
	}
	return d
}

// onlyOtherBugs: another bug in place of a behaviour that is none, or of a later
// bug, is no remedy.
func onlyOtherBugs(choice testbed.Choice, values []trial) bool {
	return !slices.ContainsFunc(values, func(v trial) bool {
		return !slices.ContainsFunc(testbed.KnownBugs(), func(b *testbed.KnownBug) bool {
			return isValue(b, choice.Node, choice.Name, v.name)
		})
	})
}

// reads is what a flipped behaviour does to where reads go.
type reads int

const (
	// readsGoOn: no difference.
	readsGoOn reads = iota
	// readsGoStale: the cache no longer asks etcd for its revision. That is no
	// remedy: without progress there is no wrong progress, and no fresh read.
	readsGoStale
	// readsBypass: every read goes to etcd. That mends no broken cache, but is worth
	// saying where the cache is not broken.
	readsBypass
)

func (s *search) readsWith(p testbed.Params) reads {
	before, err := s.params.Nodes()
	if err != nil {
		return readsGoOn
	}
	after, err := p.Nodes()
	if err != nil || after.Cache.Reads.Freshness == before.Cache.Reads.Freshness {
		return readsGoOn
	}
	switch f := read.Freshnesses.Of(after.Cache.Reads.Freshness); {
	case f.Bypasses():
		return readsBypass
	case !f.NeedsProgress():
		return readsGoStale
	}
	return readsGoOn
}
