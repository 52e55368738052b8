package informers

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// TriesAgain judges when and where an informer asks again (client-go's rest.Request with
// withRetry, and wait.Backoff in the Reflector): without a pause a thousand informers
// take a server down that has just started (kubernetes/kubernetes#87794), and one that
// does not ask again is silent for ever. It is exercised by each request after another,
// and by each informer at the end.
var TriesAgain = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-tries-again", Kind: testbed.Liveness,
	Promise:  "An informer sends a refused request again after its Retry-After, ten times at most, and otherwise pauses from 0.8 seconds to a minute; it goes to another API server if the connection broke, and always has a request or a pause.",
	Violated: "informer tries again wrongly",
	Labels: map[string]string{
		"soon": "no pause after a failure", "late": "pause too long", "often": "sent again too often", "silent": "informer falls silent",
		"server": "request to the wrong server", "page": "page of another size", "stopped": "stopped informer asks or waits",
	},
	Past: func(s *testbed.System) testbed.Past { return triesPast{s} },
	New:  func(s *testbed.System) testbed.Judge { return &triesAgain{s} },
})

const (
	// maxSent is rest.Request.maxRetries and the first try.
	maxSent = 11
	// leastPause is the first backoff of the Reflector, longestPause its greatest one
	// with the whole jitter.
	leastPause   = 800 * time.Millisecond
	longestPause = time.Minute
	// lostPause is that of a request whose connection broke, and of the detector.
	lostPause = time.Second
	// defaultPage is the page size of client-go's pager.
	defaultPage = 500
)

type triesAgain struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*triesAgain) Reset() {}

// Finding implements testbed.Judge.
func (j *triesAgain) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, n := range j.system.Informers() {
		sent := 1
		for f := newFlow(n); f.next(); {
			if sent++; !f.again() {
				sent = 1
			}
			if f.i == 0 {
				continue
			}
			all.Exercised++
			label := ""
			switch {
			case sent > maxSent:
				label = "often"
			case !j.paged(f):
				label = "page"
			case f.at().To != j.server(f):
				label = "server"
			case w.Mode() == sim.Timed && f.last != nil && stepOf(f.at()) != comparison:
				label = j.paused(w, f)
			}
			if label != "" {
				all.Violate(label, &untimely{n.Name, f.all[f.i-1], *f.at(), w.Mode() == sim.Timed})
				return all.Finding()
			}
		}
		j.atTheEnd(&all, w, n)
	}
	return all.Finding()
}

// triesPast is, beside the flow of each informer, how often its last request was sent, where,
// and what has moved it on to another server since then or still can.
type triesPast struct{ system *testbed.System }

// Digest implements testbed.Past.
func (p triesPast) Digest(d sim.Digest) sim.Digest {
	for _, n := range p.system.Informers() {
		sent, f := 1, newFlow(n)
		for f.next() {
			if sent++; !f.again() {
				sent = 1
			}
		}
		d = f.digest(d).Int(int64(sent)).Bool(n.Record().Panicked)
		for i := range f.all {
			x := &f.all[i]
			if x.End == informer.Open {
				d = d.Word(uint64(stepOf(x)))
			}
			if f.movesOn(x) {
				d = d.Bool(true)
			}
		}
		if k := len(f.all); k > 0 {
			d = d.Int(int64(f.all[k-1].To))
		}
	}
	return d
}

// movesOn reports whether the informer goes to another server with the request that is
// looked at because of this one: its connection broke, or the server did not get ready.
func (f *flow) movesOn(x *informer.Exchange) bool {
	return x.Next == f.i && (x.End == informer.Broken || stepOf(x) == readiness && x.End != informer.Answered && x.End != informer.Left)
}

// paged reports whether a LIST has the page size of the informer, or is in one piece.
func (j *triesAgain) paged(f *flow) bool {
	size := int64(j.system.Params().Informers.Page)
	if size == 0 {
		size = defaultPage
	}
	p, list := f.at().Request.(*wire.ListRequest)
	return !list || p.Limit == size || p.Limit == 0 && p.Continue == ""
}

// server is the one that a request goes to: that of the request before, and the next
// one for each connection that broke since, each server that did not get ready, and
// each start of the process.
func (j *triesAgain) server(f *flow) sim.NodeID {
	servers := f.informer.Servers()
	before := &f.all[f.i-1]
	at := slices.Index(servers, before.To)
	for k := range f.i {
		if f.movesOn(&f.all[k]) {
			at++
		}
	}
	at += f.at().Process - before.Process
	return servers[at%len(servers)]
}

// paused says what is wrong with the pause before a request, timed; empty if nothing is.
func (j *triesAgain) paused(w *sim.World, f *flow) (label string) {
	before, now := f.last, f.at()
	over := before.Over
	for k := range f.i {
		// The detector's LIST comes between the end of a stream and what follows it.
		if x := &f.all[k]; x.Next == f.i {
			over = max(over, x.Over)
		}
	}
	pause := now.Sent.Sub(over)
	switch least := least(w, f); {
	case pause < least:
		return "soon"
	case pause > max(least, longestPause):
		return "late"
	}
	return ""
}

// least is the shortest pause before a request.
func least(w *sim.World, f *flow) sim.Duration {
	x, s := f.last, stepOf(f.at())
	switch {
	case f.again() && x.Err != nil:
		return sim.Duration(x.Err.RetryAfter) * time.Second
	case f.again():
		return lostPause
	case x.Err == nil && !f.veryShort(w), s.begins() && f.atOnce():
		return 0
	}
	return leastPause
}

// atOnce reports whether a list or stream of everything follows another one without a
// pause: once because of its resourceVersion, or as the LIST in place of a stream.
func (f *flow) atOnce() bool {
	x := f.last
	switch stepOf(x) {
	case listFirst:
		return gone(x.Err) && !f.newest
	case listNext:
		return gone(x.Err)
	case streamList:
		return !x.Complete && !busy(x.Err)
	}
	return false
}

// atTheEnd judges an informer when nothing more can happen, or the time is over.
func (j *triesAgain) atTheEnd(all *testbed.Tally, w *sim.World, n *testbed.Informer) {
	open, over := 0, sim.Time(0)
	for i := range n.Exchanges() {
		x := &n.Exchanges()[i]
		if x.End == informer.Open {
			open++
		}
		over = max(over, x.Over)
	}
	all.Exercised++
	switch {
	case n.Record().Panicked:
		if open > 0 {
			all.Violate("stopped", &restless{n.Name, fmt.Sprintf("has stopped, and %d of its requests are open", open)})
		}
		if armed := w.Armed(n.ID).Count(); armed > 0 {
			all.Violate("stopped", &restless{n.Name, fmt.Sprintf("has stopped, and %d of its timers are set", armed)})
		}
	case open == 0 && j.system.IsOver(w) && (w.Mode() == sim.Untimed || w.Now().Sub(over) > longestPause):
		all.Violate("silent", &restless{n.Name, "has no request, and sends none"})
	}
}

// untimely is a request that comes at a wrong time, too often, or to a wrong server.
type untimely struct {
	informer    string
	last, wrong informer.Exchange
	timed       bool
}

func (u *untimely) String() string {
	when := ""
	if u.timed {
		when = fmt.Sprintf(" %v later", u.wrong.Sent.Sub(u.last.Over))
	}
	return fmt.Sprintf("%s: %s %s;%s it asks: %s", u.informer, u.last.Request.Label(), ended(&u.last), when, u.wrong.Request.Label())
}

// Concerns implements explore.Concerned.
func (u *untimely) Concerns() explore.Concern { return explore.Concern{Node: u.informer} }

// restless is an informer that does not ask any more, or asks although it has stopped.
type restless struct{ informer, what string }

func (r *restless) String() string { return r.informer + " " + r.what }

// Concerns implements explore.Concerned.
func (r *restless) Concerns() explore.Concern { return explore.Concern{Node: r.informer} }
