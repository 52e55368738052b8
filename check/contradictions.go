package check

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
)

// contradictions finds what a watch was sent, or was not, that no write which is not recorded can
// explain: the write of a revision is recorded, and did something else.
type contradictions struct {
	writes *recordedWrites
	at     model.WatchViolation
	found  []model.WatchJudgement
	// came has the events of one stream.
	came map[changed]bool
}

type changed struct {
	revision int64
	key      string
}

// contradict judges one watcher: the judgements are violations.
func (k *recordedWrites) contradict(w *model.Watcher) []model.WatchJudgement {
	c := &contradictions{writes: k, came: map[changed]bool{}}
	covered := int64(0)
	for i := range w.Streams {
		s := &w.Streams[i]
		clear(c.came)
		c.at = model.WatchViolation{Stream: i, Response: -1, Event: -1}
		if i > 0 && covered > 0 && !s.Listed {
			c.findLacking(s, covered+1, s.Request.StartRevision-1, 0, func(at *recordedWrite, change recordedChange) {
				c.violated(model.Resumable, at.revision, change.key, change.kind, "is in neither of two watches: one was sent everything up to revision %d, the next began at %d", covered, s.Request.StartRevision)
			})
		}
		c.stream(s)
		covered = s.Covers(covered)
	}
	return c.found
}

func (c *contradictions) stream(s *model.WatchStream) {
	start, marked, torn := s.Request.StartRevision, int64(0), int64(0)
	first, last := int64(0), int64(0)
	for i := range s.Responses {
		r := &s.Responses[i]
		c.at.Response, c.at.Event = i, -1
		if r.Created && start == 0 {
			start = r.Revision + 1
		}
		for n := range r.Events {
			e := &r.Events[n]
			c.at.Event = n
			c.happened(e)
			if s.Request.PrevKV && e.PrevItem != nil {
				c.previous(e)
			}
			c.came[changed{e.Revision, e.Item.Key}] = true
			if first == 0 || e.Revision < first {
				first = e.Revision
			}
			last, torn = max(last, e.Revision), 0
			if r.Fragment {
				torn = e.Revision
			}
		}
		c.at.Event = -1
		if r.Progress {
			if start > 0 {
				c.findLacking(s, max(start, marked+1), r.Revision, 0, func(at *recordedWrite, change recordedChange) {
					c.violated(model.Bookmarkable, at.revision, change.key, change.kind, "had not come before the bookmark at revision %d", r.Revision)
				})
			}
			marked = max(marked, r.Revision)
		}
	}
	c.at.Response = -1
	if start == 0 {
		start = first
	}
	if last == 0 {
		return
	}
	c.findLacking(s, start, last, torn, func(at *recordedWrite, change recordedChange) {
		g := model.Reliable
		if at.revision < first && s.Request.StartRevision > 0 {
			g = model.Resumable
		}
		c.violated(g, at.revision, change.key, change.kind, "is missing: the watch has reached revision %d", last)
	})
}

// happened holds an event against the write of its revision.
func (c *contradictions) happened(e *model.WatchEvent) {
	w := c.writes.of(e.Revision)
	switch {
	case w == nil:
	case e.Type == model.DeleteEvent:
		if !w.mayDelete(e.Item.Key) {
			c.violatedBy(model.Reliable, e, "never happened: the recorded write of that revision did not delete it")
		}
	case w.puts(e.Item.Key) == nil:
		c.violatedBy(model.Reliable, e, "never happened: the recorded write of that revision did not put it")
	case !w.mayHave(e.Item):
		c.violatedBy(model.Reliable, e, "was sent as %q, but the recorded write of that revision wrote %q", e.Item.Value, w.puts(e.Item.Key).Value)
	}
}

// previous holds the item before an event against the writes before it.
func (c *contradictions) previous(e *model.WatchEvent) {
	rev := e.PrevItem.ModRevision
	if rev == 0 {
		return
	}
	w := c.writes.of(rev)
	switch last := c.writes.lastBefore(e.Revision, e.Item.Key); {
	case rev >= e.Revision:
		c.violatedBy(model.PrevKV, e, "carries the item of revision %d as the previous one", rev)
	case w != nil && !w.mayHave(e.PrevItem):
		c.violatedBy(model.PrevKV, e, "carries %q of revision %d as the previous value, which the recorded write of that revision did not put", e.PrevItem.Value, rev)
	case rev < last:
		c.violatedBy(model.PrevKV, e, "carries the item of revision %d as the previous one, but a recorded write changed the key at revision %d", rev, last)
	}
}

// findLacking finds the changes that are certain, were asked for and did not come, up to a revision. The
// rest of a revision that is torn never came.
func (c *contradictions) findLacking(s *model.WatchStream, from, to, torn int64, found func(at *recordedWrite, change recordedChange)) {
	for i := c.writes.from(from); i < len(c.writes.writes) && c.writes.writes[i].revision <= to; i++ {
		w := &c.writes.writes[i]
		for _, change := range w.changes {
			if change.sure && w.revision != torn && s.Request.Wants(change.kind, change.key) && !c.came[changed{w.revision, change.key}] {
				found(w, change)
			}
		}
	}
}

// violatedBy keeps an event that violates a guarantee.
func (c *contradictions) violatedBy(g model.WatchGuarantee, e *model.WatchEvent, format string, args ...any) {
	c.violated(g, e.Revision, e.Item.Key, e.Type, format, args...)
}

// violated keeps a violation of a guarantee by what came, or did not, of a revision.
func (c *contradictions) violated(g model.WatchGuarantee, rev int64, key string, kind model.EventType, format string, args ...any) {
	v := c.at
	v.Revision, v.Key = rev, key
	v.Sentence = fmt.Sprintf("the %s of %q at revision %d ", kind, key, rev) + fmt.Sprintf(format, args...)
	c.found = append(c.found, model.WatchJudgement{Guarantee: g, Verdict: model.Violated, Why: &v})
}
