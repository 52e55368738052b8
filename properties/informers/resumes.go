package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Resumes judges what an informer asks for next (client-go's Reflector: watch,
// handleWatch, relistResourceVersion). A list of everything is what API servers fear
// most of informers, and bookmarks are sent to spare it. A 429 is no reason for one
// (kubernetes/kubernetes#100878), nor is a watch that has ended. It is exercised by each
// request of a process that has listed before.
var Resumes = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-resumes", Kind: testbed.Safety,
	Promise:  "An informer watches from the newest resourceVersion that it was sent, lists again only if its watch was refused or ended at once, and then names that resourceVersion unless a server refused it.",
	Violated: "informer does not resume",
	Labels: map[string]string{
		"position": "watch from another version", "relist": "needless relist", "fallback": "needless fallback to a list",
		"version": "list of another version",
	},
	Past: func(s *testbed.System) testbed.Past { return flowPast{s} },
	New:  func(s *testbed.System) testbed.Judge { return &resumes{s} },
})

type resumes struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*resumes) Reset() {}

// Finding implements testbed.Judge.
func (j *resumes) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, n := range j.system.Informers() {
		for f := newFlow(n); f.next(); {
			if f.last == nil || f.again() || f.version == wire.Unset && !stepOf(f.at()).begins() {
				continue
			}
			all.Exercised++
			if label := j.judge(w, f); label != "" {
				all.Violate(label, &astray{n.Name, f.version, *f.last, *f.at()})
				return all.Finding()
			}
		}
	}
	return all.Finding()
}

// judge says what is wrong with a request, empty if nothing is.
func (j *resumes) judge(w *sim.World, f *flow) (label string) {
	switch s := stepOf(f.at()); {
	case s == watch:
		if f.at().Request.(*wire.WatchRequest).ResourceVersion != f.version {
			return "position"
		}
	case s.begins():
		switch {
		case watched(f.last) && !relists(w, f):
			return "relist"
		case s == listFirst && stepOf(f.last) == streamList && !f.last.Complete && !fallsBack(w, f):
			return "fallback"
		case f.version != wire.Unset && !j.names(f):
			return "version"
		}
	}
	return ""
}

// relists reports whether everything has to be listed after a watch.
func relists(w *sim.World, f *flow) bool {
	return f.last.Err != nil && !busy(f.last.Err) || f.veryShort(w)
}

// fallsBack reports whether a LIST takes the place of a WatchList.
func fallsBack(w *sim.World, f *flow) bool {
	err := f.last.Err
	return err != nil && !busy(err) && !gone(err) || f.veryShort(w)
}

// names reports whether a list names the newest resourceVersion, or none where that was
// refused.
func (j *resumes) names(f *flow) bool {
	version := wire.Unset
	switch p := f.at().Request.(type) {
	case *wire.ListRequest:
		version = p.ResourceVersion
	case *wire.WatchRequest:
		version = p.ResourceVersion
	}
	newest := j.system.Params().Informers.Newest && f.last.Err != nil && f.last.Err.Code == wire.ErrCompacted
	if f.unavailable || newest {
		return version == wire.Unset
	}
	return version == f.version
}

// astray is a request that follows from nothing that the informer was sent.
type astray struct {
	informer    string
	version     int64
	last, wrong informer.Exchange
}

func (a *astray) String() string {
	return fmt.Sprintf("%s has resourceVersion %s; after %s %s it asks: %s",
		a.informer, text(a.version), a.last.Request.Label(), ended(&a.last), a.wrong.Request.Label())
}

// Concerns implements explore.Concerned.
func (a *astray) Concerns() explore.Concern { return explore.Concern{Node: a.informer} }

func text(version int64) string {
	if version == wire.Unset {
		return "none"
	}
	return fmt.Sprint(version)
}

// ended says how an exchange ended.
func ended(x *informer.Exchange) string {
	switch x.End {
	case informer.Answered:
		return "was answered"
	case informer.Refused:
		return fmt.Sprintf("was refused (%v) after %d events", x.Err.Code, x.Events)
	case informer.Broken:
		return fmt.Sprintf("broke after %d events", x.Events)
	}
	return fmt.Sprintf("ended after %d events", x.Events)
}
