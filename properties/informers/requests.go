package informers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

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
	Monitor: testbed.Monitor{Runs: testbed.Untimed, State: flowPast},
	New:     testbed.Recorded(resumes),
})

func resumes(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, n := range s.Informers() {
		for f := newFlow(n); f.next(); {
			if f.last == nil || f.again() || f.version == wire.Unset && !stepOf(f.at()).begins() {
				continue
			}
			all.Exercised++
			if label := wrongRequest(s, w, f); label != "" {
				version := "none"
				if f.version != wire.Unset {
					version = fmt.Sprint(f.version)
				}
				wrong(all, label, n, "%s has resourceVersion %s; after %s %s it asks: %s",
					n.Name, version, f.last.Request.Label(), ended(f.last), f.at().Request.Label())
				return
			}
		}
	}
}

// wrongRequest says what is wrong with a request, empty if nothing is.
func wrongRequest(s *testbed.System, w *sim.World, f *flow) (label string) {
	switch now := stepOf(f.at()); {
	case now == watch:
		if f.at().Request.(*wire.WatchRequest).ResourceVersion != f.version {
			return "position"
		}
	case now.begins():
		switch {
		case watched(f.last) && !relists(w, f):
			return "relist"
		case now == listFirst && stepOf(f.last) == streamList && !f.last.Complete && !fallsBack(w, f):
			return "fallback"
		case f.version != wire.Unset && !namesNewest(s, f):
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

// namesNewest reports whether a list names the newest resourceVersion, or none where that was
// refused.
func namesNewest(s *testbed.System, f *flow) bool {
	version := wire.Unset
	switch p := f.at().Request.(type) {
	case *wire.ListRequest:
		version = p.ResourceVersion
	case *wire.WatchRequest:
		version = p.ResourceVersion
	}
	newest := s.Params().Informers.Newest && f.last.Err != nil && f.last.Err.Code == wire.ErrCompacted
	if f.unavailable || newest {
		return version == wire.Unset
	}
	return version == f.version
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

// TriesAgain judges when and where an informer asks again (client-go's rest.Request with
// withRetry, and wait.Backoff in the Reflector): without a pause a thousand informers
// take a server down that has just started (kubernetes/kubernetes#87794), and an informer
// that does not ask again is silent for ever. It is exercised by each request after another,
// and by each informer at the end.
var TriesAgain = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-tries-again", Kind: testbed.Liveness,
	Promise:  "An informer sends a refused request again after its Retry-After, ten times at most, and otherwise pauses from 0.8 seconds to a minute; it goes to another API server if the connection broke, and always has a request or a pause.",
	Violated: "informer tries again wrongly",
	Labels: map[string]string{
		"soon": "no pause after a failure", "late": "pause too long", "often": "sent again too often", "silent": "informer falls silent",
		"server": "request to the wrong server", "page": "page of another size", "stopped": "stopped informer asks or waits",
	},
	Monitor: testbed.Monitor{Runs: testbed.Untimed, State: triesPast},
	New:     testbed.Recorded(triesAgain),
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

func triesAgain(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, n := range s.Informers() {
		f, sent := newFlow(n), 1
		over := make([]*informer.Exchange, len(f.all))
		for i := range f.all {
			over[i] = &f.all[i]
		}
		slices.SortStableFunc(over, func(x, y *informer.Exchange) int { return cmp.Compare(x.Next, y.Next) })
		for f.next() {
			before, _ := slices.BinarySearchFunc(over, f.i, endsBefore)
			behind, _ := slices.BinarySearchFunc(over, f.i+1, endsBefore)
			f.since = over[before:behind]
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
			case !paged(s, f):
				label = "page"
			case f.at().To != serverOf(s, f):
				label = "server"
			case w.Mode() == sim.Timed && f.last != nil && stepOf(f.at()) != comparison:
				label = paused(s, w, f)
			}
			if label != "" {
				last, when, should := &f.all[f.i-1], "", ""
				if label == "server" {
					should = fmt.Sprintf(" of %s, and should ask %s", w.NodeName(f.at().To), w.NodeName(serverOf(s, f)))
				}
				if w.Mode() == sim.Timed {
					when = fmt.Sprintf(" %v later", f.at().Sent.Sub(last.Over))
				}
				wrong(all, label, n, "%s: %s %s;%s it asks: %s%s", n.Name, last.Request.Label(), ended(last), when, f.at().Request.Label(), should)
				return
			}
		}
		atTheEnd(s, all, w, n)
	}
}

// endsBefore orders an exchange that was over when n requests had been sent.
func endsBefore(x *informer.Exchange, n int) int { return cmp.Compare(x.Next, n) }

// triesPast is, beside the flow of each informer, how often its last request was sent, where,
// and what has moved it on to another server since then or still can.
func triesPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, n := range s.Informers() {
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
func paged(s *testbed.System, f *flow) bool {
	size := int64(s.Params().Informers.Page)
	if size == 0 {
		size = defaultPage
	}
	p, list := f.at().Request.(*wire.ListRequest)
	return !list || p.Limit == size || p.Limit == 0 && p.Continue == ""
}

// serverOf is the server that a request goes to: that of the request before, and the next
// server for each connection that broke since, each server that did not get ready, and
// each start of the process.
func serverOf(s *testbed.System, f *flow) sim.NodeID {
	servers := f.informer.Servers()
	before := &f.all[f.i-1]
	at := slices.Index(servers, before.To)
	for _, x := range f.since {
		if f.movesOn(x) {
			at++
		}
	}
	at += f.at().Process - before.Process
	return servers[at%len(servers)]
}

// paused says what is wrong with the pause before a request, timed; empty if nothing is.
func paused(s *testbed.System, w *sim.World, f *flow) (label string) {
	before, now := f.last, f.at()
	over := before.Over
	// The detector's LIST comes between the end of a stream and what follows it.
	for _, x := range f.since {
		over = max(over, x.Over)
	}
	pause := now.Sent.Sub(over)
	switch least := least(w, f); {
	case pause < least:
		return "soon"
	case least == 0 && pause > 0, pause > max(least, longestPause):
		return "late"
	}
	return ""
}

// least is the shortest pause before a request.
func least(w *sim.World, f *flow) sim.Duration {
	x, s := f.last, stepOf(f.at())
	switch {
	case stepOf(x) == readiness:
		// A load balancer has more servers, and sends the client to the next one.
		return 0
	case f.again() && x.Err != nil:
		return sim.Duration(x.Err.RetryAfter) * time.Second
	case f.again():
		return lostPause
	case x.End == informer.Broken && (stepOf(x) == listFirst || stepOf(x) == listNext):
		// It was sent again often enough, and has failed.
		return leastPause
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
func atTheEnd(s *testbed.System, all *testbed.Tally, w *sim.World, n *testbed.Informer) {
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
			wrong(all, "stopped", n, "%s has stopped, and %d of its requests are open", n.Name, open)
		}
		if armed := w.Armed(n.ID).Count(); armed > 0 {
			wrong(all, "stopped", n, "%s has stopped, and %d of its timers are set", n.Name, armed)
		}
	case open == 0 && s.IsOver(w) && (w.Mode() == sim.Untimed || w.Now().Sub(over) > longestPause):
		wrong(all, "silent", n, "%s has no request, and sends none", n.Name)
	}
}

// step is what an informer asks for in one request.
type step uint8

const (
	// readiness: whether the API server is ready.
	readiness step = iota
	// listFirst and listNext are pages of a LIST.
	listFirst
	listNext
	// streamList is a WatchList, watch a WATCH of what changes.
	streamList
	watch
	// comparison is the LIST of the consistency detector.
	comparison
)

func stepOf(x *informer.Exchange) step {
	switch p := x.Request.(type) {
	case *wire.ListRequest:
		switch {
		case p.Match == wire.MatchExact:
			return comparison
		case p.Continue != "":
			return listNext
		}
		return listFirst
	case *wire.WatchRequest:
		if p.SendInitialEvents == wire.SendInitialEventsTrue {
			return streamList
		}
		return watch
	}
	return readiness
}

// begins reports whether a request is the first one of a list or stream of everything.
func (s step) begins() bool { return s == listFirst || s == streamList }

// flow is where an informer is in Reflector.ListAndWatch, as its requests tell it.
type flow struct {
	informer *testbed.Informer
	all      []informer.Exchange
	// i is the number of the request that is looked at, last the one before it that is
	// not of the detector; nil if it is the first of its process.
	i    int
	last *informer.Exchange
	// since are the exchanges that were over behind the request before and before this one. Only informer-tries-again
	// asks.
	since []*informer.Exchange
	// began is when last was sent for the first time.
	began sim.Time
	// newest: last asks for the newest state, at once after a refusal of another LIST.
	newest bool
	// version is the newest resourceVersion that the process was sent: of a complete
	// list, or behind it; Unset before. listed is that of the list under way.
	version, listed int64
	// unavailable: a server has refused that version, and it is not named again before a
	// list is complete (isLastSyncResourceVersionUnavailable).
	unavailable bool
}

func newFlow(n *testbed.Informer) *flow {
	return &flow{informer: n, all: n.Exchanges(), i: -1, version: wire.Unset, listed: wire.Unset}
}

// next goes on to the next request. It reports false behind the last.
func (f *flow) next() bool {
	if f.i >= 0 {
		f.take(f.at())
	}
	f.i++
	if f.i == len(f.all) {
		return false
	}
	if f.i > 0 && f.at().Process != f.all[f.i-1].Process {
		f.last, f.version, f.listed, f.unavailable = nil, wire.Unset, wire.Unset, false
	}
	f.unavailable = f.unavailable || f.last != nil && !f.again() && refusesVersion(f.last)
	return true
}

// at is the request that is looked at.
func (f *flow) at() *informer.Exchange { return &f.all[f.i] }

// take notes what came of a request.
func (f *flow) take(x *informer.Exchange) {
	switch stepOf(x) {
	case comparison:
		return
	case listFirst, listNext:
		if x.End == informer.Answered {
			if stepOf(x) == listFirst {
				f.listed = x.Version
			}
			if x.Complete {
				f.version, f.unavailable = f.listed, false
			}
		}
	case streamList:
		if x.Complete {
			f.version, f.unavailable = x.Version, false
		}
	case watch:
		if x.Events > 0 {
			f.version = x.Version
		}
	}
	if f.last == nil || x.Request != f.last.Request {
		f.began = x.Sent
		f.newest = f.last != nil && stepOf(f.last) == listFirst && gone(f.last.Err) && f.last.Over == x.Sent
	}
	f.last = x
}

// again reports whether the request is the one before it, sent again below the
// Reflector.
func (f *flow) again() bool {
	return f.last != nil && f.at().Request == f.last.Request && stepOf(f.last) != readiness
}

// refusesVersion reports whether a list or stream of everything was refused because of
// the resourceVersion that it names. The next page of a list names none: it is listed
// again in one piece.
func refusesVersion(x *informer.Exchange) bool {
	switch stepOf(x) {
	case listFirst:
		return gone(x.Err)
	case listNext:
		return x.Err != nil && x.Err.Code == wire.TooLargeResourceVersion
	case streamList:
		return !x.Complete && gone(x.Err)
	}
	return false
}

// gone reports whether a refusal says that the resourceVersion is of no use.
func gone(err *wire.Error) bool {
	return err != nil && (err.Code == wire.ErrCompacted || err.Code == wire.TooLargeResourceVersion)
}

// busy reports whether a refusal says nothing but that the server is busy.
func busy(err *wire.Error) bool { return err != nil && err.Code == wire.TooManyRequests }

// veryShort is client-go's VeryShortWatchError: the watch before the request ended
// within a second, refusals included, without an event. Without a clock it may have been
// as short.
func (f *flow) veryShort(w *sim.World) bool {
	x := f.last
	return x.Err == nil && x.Events == 0 && (w.Mode() == sim.Untimed || x.Over.Sub(f.began) < time.Second)
}

// watched reports whether an exchange had come as far as a watch of what changes.
func watched(x *informer.Exchange) bool {
	return stepOf(x) == watch || stepOf(x) == streamList && x.Complete
}

// flowPast is where each informer is behind its last request.
func flowPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, n := range s.Informers() {
		f := newFlow(n)
		for f.next() {
		}
		d = f.digest(d)
	}
	return d
}

// digest is what later requests are held against, behind the last one. What comes of that
// one, if it is still open, takes the place of what has come of it so far.
func (f *flow) digest(d sim.Digest) sim.Digest {
	d = d.Int(f.version).Int(f.listed).Bool(f.unavailable).Bool(f.newest)
	if n := len(f.all); n > 0 {
		d = d.Int(int64(f.informer.Record().Restarts - f.all[n-1].Process))
	}
	if x := f.last; x != nil {
		d = x.Request.Digest(d).Word(uint64(x.End)).Bool(x.Events > 0).Int(x.Version).Bool(x.Complete)
		if x.Err != nil {
			d = d.Word(uint64(x.Err.Code))
		}
	}
	return d
}
