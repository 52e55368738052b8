package model

import (
	"fmt"
	"slices"
)

// WatchGuarantee is one of the promises that etcd makes about a watch (etcd's
// documentation, learning/api_guarantees). Where that leaves room, the bounds
// between them are those of etcd's robustness tests.
type WatchGuarantee string

// The guarantees.
const (
	// Ordered: revisions never go back within a stream.
	Ordered WatchGuarantee = "ordered"
	// Unique: no event comes twice within a stream.
	Unique WatchGuarantee = "unique"
	// Atomic: the events of one revision come in one response.
	Atomic WatchGuarantee = "atomic"
	// Reliable: from a stream's first event to its last nothing is missing,
	// nothing is made up, and nothing is other than it happened. If the stream
	// starts "now", the first event is the next one after that.
	Reliable WatchGuarantee = "reliable"
	// Resumable: a stream from a revision begins with the first event from
	// there on, and streams that follow one another leave nothing out between
	// them.
	Resumable WatchGuarantee = "resumable"
	// Bookmarkable: a bookmark at R comes after all events up to R.
	Bookmarkable WatchGuarantee = "bookmarkable"
	// PrevKV: each event carries the item before it, if the watch asks for it and
	// it is not compacted, and none otherwise.
	PrevKV WatchGuarantee = "prevKV"
	// Filter: every event matches the watch's request.
	Filter WatchGuarantee = "filter"
)

// WatchGuarantees are all of them.
func WatchGuarantees() []WatchGuarantee { return slices.Clone(guarantees[:]) }

var guarantees = [...]WatchGuarantee{
	ordered: Ordered, unique: Unique, atomic: Atomic, reliable: Reliable,
	resumable: Resumable, bookmarkable: Bookmarkable, prevKV: PrevKV, filter: Filter,
}

// guarantee is the place of one in guarantees.
type guarantee uint8

const (
	ordered guarantee = iota
	unique
	atomic
	reliable
	resumable
	bookmarkable
	prevKV
	filter
)

// WatchJudgement is the verdict on one guarantee.
type WatchJudgement struct {
	Guarantee WatchGuarantee
	Verdict   Verdict
	// Exercised counts what the guarantee was checked on: of Ordered, Unique and
	// Reliable, events after the first of their stream; of Atomic, revisions of
	// several events; of Resumable, streams from a revision after which there
	// were events; of Bookmarkable, bookmarks; of PrevKV, events of a watcher
	// that asked for it; of Filter, changes that were to be left out.
	Exercised int
	// Why is there if and only if the guarantee is violated.
	Why *WatchViolation
}

// WatchViolation is the first violation of a guarantee. Response and Event are
// -1 where it is about something that did not come.
type WatchViolation struct {
	Stream, Response, Event int
	Revision                int64
	Key                     string
	// Sentence says it for people.
	Sentence string
}

// CheckWatch compares what one watcher was sent with ground truth, which must
// reach at least to the newest revision that was sent.
func CheckWatch(streams []WatchStream, log *Log) []WatchJudgement {
	var c WatchChecker
	return c.Check(nil, streams, log)
}

// WatchChecker does what CheckWatch does for one watcher after another, in the memory of
// those before. Its zero value is ready for use.
type WatchChecker struct{ check watchCheck }

// Check appends the judgements on one watcher.
func (w *WatchChecker) Check(to []WatchJudgement, streams []WatchStream, log *Log) []WatchJudgement {
	c := &w.check
	*c = watchCheck{log: log, sent: c.sent[:0], came: c.came}
	if c.came == nil {
		c.came = map[place]int{}
	}
	for i := range streams {
		c.at.Stream = i
		c.stream(&streams[i])
	}
	c.followOn(streams)
	for g, name := range guarantees {
		j := WatchJudgement{Guarantee: name, Exercised: c.exercised[g], Why: c.found[g]}
		switch {
		case j.Why != nil:
			j.Verdict = Violated
		case j.Exercised > 0:
			j.Verdict = Holds
		}
		to = append(to, j)
	}
	return to
}

type watchCheck struct {
	log *Log
	// found and exercised are by guarantee.
	found     [len(guarantees)]*WatchViolation
	exercised [len(guarantees)]int
	// at is where in the streams the check is.
	at WatchViolation
	// sent and came are the memory of streamCheck, which is that of one stream after
	// another.
	sent []*WatchEvent
	came map[place]int
}

// violated keeps the first violation of each guarantee.
func (c *watchCheck) violated(g guarantee, rev int64, key, format string, args ...any) {
	if c.found[g] != nil {
		return
	}
	v := c.at
	v.Revision, v.Key, v.Sentence = rev, key, fmt.Sprintf(format, args...)
	c.found[g] = &v
}

// streamCheck is what is known of a stream so far.
type streamCheck struct {
	*WatchStream
	WatchPosition
	sent []*WatchEvent
	came map[place]int
	// torn is the revision that the stream ended in the middle of: the rest of a
	// response in fragments never came. 0 if there is none.
	torn int64
}

// place is what an event is about. One revision may put a key and delete it, even several
// times: see Log.events.
type place struct {
	revision int64
	key      string
	kind     EventType
}

// has reports whether an event of a revision with these came, or came as one of the other
// type: that is wrong by itself, and nothing is missing.
func (s *streamCheck) has(real *WatchEvent, all []WatchEvent) bool {
	other := PutEvent
	if real.Type == PutEvent {
		other = DeleteEvent
	}
	return s.came[place{real.Revision, real.Item.Key, real.Type}] > 0 ||
		s.came[place{real.Revision, real.Item.Key, other}] > 0 &&
			!slices.ContainsFunc(all, func(e WatchEvent) bool { return e.Type == other && e.Item.Key == real.Item.Key })
}

// compactedWithin reports whether a change need not come because a later change of the key
// in the same revision replaced it, and etcd is compacted at that revision: a compaction
// keeps the newest change of each key only (keyIndex.doCompact), and still lets watches begin at
// the compacted revision.
func (c *watchCheck) compactedWithin(all []WatchEvent, i int) bool {
	real := &all[i]
	return slices.ContainsFunc(all[i+1:], func(e WatchEvent) bool { return e.Item.Key == real.Item.Key }) &&
		c.log.At(c.log.Revision()).Compacted() >= real.Revision
}

func (c *watchCheck) stream(ws *WatchStream) {
	clear(c.came)
	s := &streamCheck{WatchStream: ws, WatchPosition: atStart(&ws.Request), sent: c.sent[:0], came: c.came}
	for i := range ws.Responses {
		r := &ws.Responses[i]
		c.at.Response, c.at.Event = i, -1
		s.begin(r)
		for k := range r.Events {
			c.at.Event = k
			c.event(s, &r.Events[k])
		}
		c.at.Event = -1
		if r.Progress {
			c.bookmark(s, r.Revision)
		}
		s.ends(r)
		if n := len(r.Events); n > 0 {
			s.torn = 0
			if r.Fragment {
				s.torn = r.Events[n-1].Revision
			}
		}
	}
	c.at.Response, c.at.Event = -1, -1
	c.severalAtOnce(s)
	c.gaps(s)
	c.sent = s.sent
}

// event judges one event by itself and against those before it.
func (c *watchCheck) event(s *streamCheck, e *WatchEvent) {
	key, rev := e.Item.Key, e.Revision
	if len(s.sent) > 0 {
		c.exercised[ordered]++
		c.exercised[unique]++
		c.exercised[reliable]++
		if last := s.sent[len(s.sent)-1].Revision; rev < last {
			c.violated(ordered, rev, key, "the %s of %q at revision %d comes after revision %d", e.Type, key, rev, last)
		}
	}
	at := place{rev, key, e.Type}
	s.came[at]++
	switch {
	case s.came[at] > 1 && s.came[at] > c.times(&s.Request, e):
		c.violated(unique, rev, key, "the %s of %q at revision %d comes twice", e.Type, key, rev)
	case rev == s.Whole:
		c.violated(atomic, rev, key, "the %s of %q at revision %d comes apart from the rest of its revision", e.Type, key, rev)
	}
	if rev <= s.Marked {
		c.violated(bookmarkable, rev, key, "the %s of %q at revision %d comes after the bookmark at revision %d", e.Type, key, rev, s.Marked)
	}
	if !s.Request.Wants(e.Type, key) {
		c.violated(filter, rev, key, "the %s of %q at revision %d was not asked for", e.Type, key, rev)
	}
	if start := s.Request.StartRevision; rev < start {
		c.violated(resumable, rev, key, "the %s of %q at revision %d comes on a watch from revision %d", e.Type, key, rev, start)
	}
	s.sent = append(s.sent, e)
	if rev <= c.log.First() {
		// Ground truth does not reach back that far.
		return
	}
	c.happened(&s.Request, e)
	c.previous(s.WatchStream, e)
}

// times is how often a revision made this change of the key.
func (c *watchCheck) times(r *WatchRequest, e *WatchEvent) (n int) {
	for _, real := range r.Changes(c.log, e.Revision) {
		if real.Item.Key == e.Item.Key && real.Type == e.Type {
			n++
		}
	}
	return n
}

// happened holds an event against the log.
func (c *watchCheck) happened(r *WatchRequest, e *WatchEvent) {
	key := e.Item.Key
	for _, real := range r.Changes(c.log, e.Revision) {
		if real.Item.Key != key || real.Type != e.Type {
			continue
		}
		if e.Type == PutEvent && !sameItem(e.Item, real.Item) {
			c.violated(reliable, e.Revision, key, "the put of %q at revision %d was sent as %q (mod revision %d, version %d), but wrote %q (version %d)",
				key, e.Revision, e.Item.Value, e.Item.ModRevision, e.Item.Version, real.Item.Value, real.Item.Version)
		}
		return
	}
	c.violated(reliable, e.Revision, key, "the watch was sent the %s of %q at revision %d, and etcd's history has no such change", e.Type, key, e.Revision)
}

// sameItem compares an item with the stored one. Creation, version and lease are compared only
// if they were sent, as Kubernetes does not send them.
func sameItem(sent, stored *Item) bool {
	return sent.Key == stored.Key && sent.Value == stored.Value && sent.ModRevision == stored.ModRevision &&
		(sent.CreateRevision == 0 || sent.CreateRevision == stored.CreateRevision) &&
		(sent.Version == 0 || sent.Version == stored.Version) && sent.FitsLease(stored)
}

func (c *watchCheck) previous(s *WatchStream, e *WatchEvent) {
	key := e.Item.Key
	if !s.Request.PrevKV {
		if e.PrevItem != nil {
			c.violated(prevKV, e.Revision, key, "the %s of %q at revision %d carries a previous item that was not asked for", e.Type, key, e.Revision)
		}
		return
	}
	c.exercised[prevKV]++
	if e.Revision > c.log.Revision()+1 {
		return
	}
	want := c.log.before(e.Revision, key)
	if e.Type == PutEvent && e.Item.CreateRevision == e.Revision {
		// A transaction deleted the key and created it: etcd looks for no item before one
		// that is new.
		want = nil
	}
	switch {
	case want == nil && e.PrevItem != nil:
		c.violated(prevKV, e.Revision, key, "the %s of %q at revision %d carries a previous item, but there was none", e.Type, key, e.Revision)
	case want != nil && e.PrevItem == nil:
		// etcd reads the previous item when it sends: compacted by then, it is
		// left out.
		if c.log.At(c.log.Revision()).Compacted() < e.Revision {
			c.violated(prevKV, e.Revision, key, "the %s of %q at revision %d lacks the previous item of revision %d", e.Type, key, e.Revision, want.ModRevision)
		}
	case want != nil && !sameItem(e.PrevItem, want) && e.PrevItem.ModRevision == want.ModRevision:
		c.violated(prevKV, e.Revision, key, "the %s of %q at revision %d carries %q as the previous value, but revision %d had set it to %q",
			e.Type, key, e.Revision, e.PrevItem.Value, want.ModRevision, want.Value)
	case want != nil && !sameItem(e.PrevItem, want):
		c.violated(prevKV, e.Revision, key, "the %s of %q at revision %d carries the item of revision %d as the previous one, not that of revision %d",
			e.Type, key, e.Revision, e.PrevItem.ModRevision, want.ModRevision)
	}
}

// bookmark holds a bookmark against the events that came before it. Those that
// come after it are judged when they do.
func (c *watchCheck) bookmark(s *streamCheck, rev int64) {
	c.exercised[bookmarkable]++
	if s.begun() {
		from := max(s.Start, s.Marked+1, c.log.First()+1)
		for at := from; at <= min(rev, c.log.Revision()); at++ {
			all := s.Request.Changes(c.log, at)
			for i, real := range all {
				if key := real.Item.Key; s.Request.Wants(real.Type, key) && !s.has(&real, all) && !c.compactedWithin(all, i) {
					c.violated(bookmarkable, at, key, "the bookmark at revision %d comes before the %s of %q at revision %d", rev, real.Type, key, at)
				}
			}
		}
	}
}

func (c *watchCheck) severalAtOnce(s *streamCheck) {
	for i := 1; i < len(s.sent); i++ {
		second := s.sent[i].Revision == s.sent[i-1].Revision
		third := second && i > 1 && s.sent[i-2].Revision == s.sent[i].Revision
		if second && !third {
			c.exercised[atomic]++
		}
	}
}

// gaps finds what should have come between a stream's start and its last event. The rest of the last revision may still
// come, if the events are messages of their own.
// What precedes its first event is a matter of Resumable if the stream was to
// start at a revision.
func (c *watchCheck) gaps(s *streamCheck) {
	if len(s.sent) == 0 {
		return
	}
	first, last := s.sent[0].Revision, s.sent[0].Revision
	for _, e := range s.sent {
		first, last = min(first, e.Revision), max(last, e.Revision)
	}
	fromRevision := s.Request.StartRevision > 0
	if fromRevision {
		c.exercised[resumable]++
	}
	start := s.Start
	if !s.begun() {
		start = first
	}
	for rev := max(start, c.log.First()+1); rev <= min(last, c.log.Revision()); rev++ {
		all := s.Request.Changes(c.log, rev)
		for i, real := range all {
			key := real.Item.Key
			if !s.Request.Wants(real.Type, key) {
				c.exercised[filter]++
				continue
			}
			if s.has(&real, all) || rev == s.torn || rev == last && s.Parts || c.compactedWithin(all, i) {
				continue
			}
			g := reliable
			if rev < first && fromRevision {
				g = resumable
			}
			c.violated(g, rev, key, "the %s of %q at revision %d is missing: the watch has reached revision %d", real.Type, key, rev, last)
		}
	}
}

// followOn finds what fell between two streams of the watcher. History that etcd
// had compacted, and said so, need not be sent, nor what a list showed.
func (c *watchCheck) followOn(streams []WatchStream) {
	c.at.Response, c.at.Event = -1, -1
	covered := int64(0)
	var rest []WatchEvent
	for i := range streams {
		s := &streams[i]
		c.at.Stream = i
		covered = s.coveredBefore(covered)
		for _, real := range rest {
			if key := real.Item.Key; !s.Listed && s.Request.StartRevision > real.Revision {
				c.violated(resumable, real.Revision, key, "the %s of %q at revision %d is in neither of two watches: one ended in the middle of that revision, the next began at %d",
					real.Type, key, real.Revision, s.Request.StartRevision)
			}
		}
		if rest = nil; i+1 < len(streams) {
			rest = c.rest(s)
		}
		if start := s.Request.StartRevision; i > 0 && covered > 0 && start-1 > covered {
			c.exercised[resumable]++
			for rev := max(covered, c.log.First()) + 1; rev < start && rev <= c.log.Revision(); rev++ {
				for _, real := range s.Request.Changes(c.log, rev) {
					if key := real.Item.Key; s.Request.Wants(real.Type, key) {
						c.violated(resumable, rev, key, "the %s of %q at revision %d is in neither of two watches: one was sent everything up to revision %d, the next began at %d", real.Type, key, rev, covered, start)
					}
				}
			}
		}
		covered = s.coveredAfter(covered)
	}
}

// rest are the changes of the last revision of a stream that did not come.
func (c *watchCheck) rest(s *WatchStream) (rest []WatchEvent) {
	last := s.LastRevision()
	if !s.Parts || len(last) == 0 {
		return nil
	}
	for _, real := range s.Request.Changes(c.log, last[0].Revision) {
		came := slices.ContainsFunc(last, func(e WatchEvent) bool { return e.Item.Key == real.Item.Key && e.Type == real.Type })
		if !came && s.Request.Wants(real.Type, real.Item.Key) {
			rest = append(rest, real)
		}
	}
	return rest
}

// LastRevision are the events of the newest revision that a stream was sent something of, none if it has said since
// that history is gone.
func (ws *WatchStream) LastRevision() (last []WatchEvent) {
	for i := range ws.Responses {
		r := &ws.Responses[i]
		for _, e := range r.Events {
			if len(last) > 0 && last[0].Revision != e.Revision {
				last = last[:0]
			}
			last = append(last, e)
		}
		if r.CompactRevision > 0 {
			last = last[:0]
		}
	}
	return last
}

// String is the sentence for people.
func (v *WatchViolation) String() string { return v.Sentence }
