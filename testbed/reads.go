package testbed

import (
	"fmt"

	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// reads is the program of the i-th reader: LISTs, with GETs between them.
func (s *System) reads(i int) []workload.Step {
	p := &s.params
	var steps []workload.Step
	for j := range max(p.Reads, p.Gets) {
		at := i
		if p.Move {
			at += j
		}
		if j < p.Reads {
			resource := i + j
			if p.Apart {
				resource = 0
			}
			step := s.step(s.topology.Cache(at, resource), s.list(3*i+j, resource), s.think())
			step.Pages = p.morePages()
			steps = append(steps, step)
		}
		if j < p.Gets {
			n := (i + j) % max(1, p.Keys)
			steps = append(steps, s.step(s.topology.Cache(at, n), s.get(i+j), s.think()))
		}
	}
	if len(steps) > 0 {
		steps[0].Think.Min += p.ReadFrom
		steps[0].Think.Max += p.ReadFrom
	}
	return steps
}

// list is what readers ask for, at the n-th time, of a resource.
func (s *System) list(n, resource int) *wire.ListRequest {
	l := &wire.ListRequest{Prefix: topology.Prefix(resource % s.topology.Resources), ResourceVersion: wire.Unset}
	if n := s.params.Namespaces; n > 0 {
		// The API machinery's key of a namespace has no "/" behind it.
		l.Prefix += topology.Namespace(resource % n)
	}
	read := s.params.Read
	if read == "every" {
		read = everyList[n%len(everyList)]
	}
	if read == "past" {
		s.past(l, n)
		return l
	}
	switch read {
	case "consistent":
	case "any":
		l.ResourceVersion = 0
	case "not-older":
		l.ResourceVersion, l.Match = s.etcd.initial.Revision+1, wire.MatchNotOlderThan
	case "future":
		l.ResourceVersion, l.Match = s.etcd.initial.Revision+s.totalWrites()+1, wire.MatchNotOlderThan
	case "exact":
		l.ResourceVersion, l.Match = s.etcd.initial.Revision, wire.MatchExact
	case "page", "pages":
		l.Limit = 1
	case "page-any":
		l.ResourceVersion, l.Limit = 0, 1
	case "invalid":
		l.Match = wire.MatchExact
	}
	return l
}

// past asks for an earlier state, at the n-th time: exactly, in pages, both, and
// in pages of the newest state, which is the past by the second page; now and
// then for the newest state. The revisions are the first that there is, one in
// the middle, and the last or one that is not there yet.
func (s *System) past(l *wire.ListRequest, n int) {
	way := n % 5
	if way != 0 && way != 4 {
		l.Limit = 1
	}
	if way == 1 || way == 4 {
		return
	}
	l.ResourceVersion = s.etcd.initial.Revision + int64(n/5%3)*s.totalWrites()/2
	if way != 2 {
		l.Match = wire.MatchExact
	}
}

// morePages is how many pages readers ask for after the first: more than there
// are, if they follow pages at all.
func (p *Params) morePages() int {
	if p.Read == "pages" || p.Read == "past" {
		return p.Keys + p.Items + 1
	}
	return 0
}

// everyList are the ways of a LIST, of which a workload that asks in every way
// takes one after the other. The revision of "future" does not come before the
// end, if at all; "invalid" is a match without a resourceVersion.
var everyList = []string{"consistent", "any", "not-older", "page", "exact", "future", "page-any", "invalid"}

// get is what readers ask for, at the n-th time.
func (s *System) get(n int) *wire.GetRequest {
	g := &wire.GetRequest{Key: s.topology.Key(n % max(1, s.params.Keys)), ResourceVersion: wire.Unset}
	if s.params.Read == "every" {
		g.ResourceVersion = []int64{wire.Unset, 0, s.etcd.initial.Revision + 1}[n%3]
	}
	if s.params.Read == "not-older" {
		g.ResourceVersion = s.etcd.initial.Revision + 1
	}
	return g
}

func checkRead(v string) error {
	switch v {
	case "consistent", "any", "not-older", "every", "pages", "past":
		return nil
	}
	return fmt.Errorf("read=%s: want consistent, any, not-older, every, pages or past", v)
}
