package check

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/check/recorded"
	"github.com/watchbed/watchbed/model"
)

// WatchViolation is what is wrong with a watch, and whose it is.
type WatchViolation struct {
	Client string `json:"client"`
	// Stream, Response and Event count from 0, each within the one before; -1 is something
	// that did not come.
	Stream   int    `json:"stream"`
	Response int    `json:"response"`
	Event    int    `json:"event"`
	Revision int64  `json:"revision,omitempty"`
	Key      string `json:"key,omitempty"`
	Sentence string `json:"sentence"`
}

// idle says of each guarantee what no watch was sent.
var idle = map[model.WatchGuarantee]string{
	model.Ordered:      "no stream had two events",
	model.Unique:       "no stream had two events",
	model.Reliable:     "no stream had two events",
	model.Atomic:       "no stream had two events of one revision",
	model.Resumable:    "no stream from a revision had events",
	model.Bookmarkable: `no watch was sent a response with "progress"`,
	model.PrevKV:       `no watch that asked for "prevKV" was sent an event`,
	model.Filter:       "nothing happened that a watch was not to be sent",
}

// judgeWatches holds what all watchers were sent against the writes of the history, by the
// guarantees that are wanted.
func judgeWatches(h *model.History, wanted []model.WatchGuarantee) []Judgement {
	h = withStarts(h)
	log, ends := recorded.Truth(h)
	byThemselves := hasWatchesAlone(h)
	asked := len(wanted)
	if byThemselves && !slices.Contains(wanted, model.Reliable) {
		// What was not sent is not known, but what contradicts itself cannot have happened.
		wanted = append(slices.Clip(wanted), model.Reliable)
	}
	out := make([]Judgement, len(wanted))
	for i, g := range wanted {
		out[i] = Judgement{Property: string(g), By: "the writes that are recorded"}
		if alone(h, g) || i >= asked {
			out[i].By = "what was sent"
		}
	}
	cut := false
	var writes *recordedWrites
	var checker model.WatchChecker
	for i := range h.Watchers {
		w := &h.Watchers[i]
		if byThemselves {
			merge(out, w, byItself(w), func(model.WatchGuarantee, model.Verdict) bool { return true })
		}
		known, shorter := w.Streams, false
		if ends != "" {
			known, shorter = upTo(w.Streams, log.Revision())
			cut = cut || shorter
		}
		merge(out, w, checker.Check(nil, known, log), func(g model.WatchGuarantee, _ model.Verdict) bool { return !shorter || !alone(h, g) })
		if shorter {
			// Behind the log, an event is compared with others, and with the write of its revision if
			// that is recorded.
			merge(out, w, checker.Check(nil, w.Streams, log), func(g model.WatchGuarantee, v model.Verdict) bool {
				return alone(h, g) || v == model.Violated && g != model.Reliable
			})
			if writes == nil {
				writes = newRecordedWrites(h)
			}
			merge(out, w, writes.contradict(w), func(model.WatchGuarantee, model.Verdict) bool { return true })
		}
	}
	for i, g := range wanted {
		j := &out[i]
		switch {
		case j.Verdict == model.Violated:
		case cut && !alone(h, g):
			j.Verdict = model.VerdictUnknown
			j.Reason = fmt.Sprintf("%s, so that behind revision %d nothing is certain but what recorded writes made, and no watch contradicts that: record every writer, and the revision of every write", ends, log.Revision())
		case j.Verdict == model.Vacuous && len(h.Watchers) == 0:
			j.Reason = "the history has no watches"
		case j.Verdict == model.Vacuous:
			j.Reason = idle[g]
		}
	}
	if asked < len(out) && out[asked].Verdict != model.Violated {
		out = out[:asked]
	}
	return out
}

// withStarts is a history in which a watch from the present on begins at its first event, if that is older than what the
// created response says: etcd 3.6 reads that revision when the watch is registered already.
func withStarts(h *model.History) *model.History {
	out := *h
	out.Watchers = nil
	for _, w := range h.Watchers {
		w.Streams = slices.Clone(w.Streams)
		for i := range w.Streams {
			s := &w.Streams[i]
			first := slices.IndexFunc(s.Responses, func(r model.WatchResponse) bool { return len(r.Events) > 0 })
			if s.Request.StartRevision != 0 || first < 1 || !s.Responses[0].Created {
				continue
			}
			if oldest := s.Responses[first].Events[0].Revision; oldest <= s.Responses[0].Revision {
				s.Responses = slices.Clone(s.Responses)
				s.Responses[0].Revision = oldest - 1
			}
		}
		out.Watchers = append(out.Watchers, w)
	}
	return &out
}

// alone reports whether a guarantee is judged by what was sent alone. In a history without operations it is
// all that a bookmark can be held against, events that came behind it, and previous values.
func alone(h *model.History, g model.WatchGuarantee) bool {
	return g == model.Ordered || g == model.Unique || g == model.Atomic || (g == model.Bookmarkable || g == model.PrevKV) && hasWatchesAlone(h)
}

func hasWatchesAlone(h *model.History) bool { return h.Partial && len(h.Operations) == 0 }

// merge adds the judgements on a watcher that are to count.
func merge(out []Judgement, w *model.Watcher, judged []model.WatchJudgement, counts func(model.WatchGuarantee, model.Verdict) bool) {
	for _, j := range judged {
		at := slices.IndexFunc(out, func(o Judgement) bool { return o.Property == string(j.Guarantee) })
		if at < 0 || !counts(j.Guarantee, j.Verdict) {
			continue
		}
		out[at].Exercised += j.Exercised
		if j.Verdict == model.Violated && out[at].Watch == nil {
			v := j.Why
			out[at].Watch = &WatchViolation{
				Client: w.Client, Stream: v.Stream, Response: v.Response, Event: v.Event, Revision: v.Revision, Key: v.Key,
				Sentence: fmt.Sprintf("of %s's watch, stream %d: %s", w.Client, v.Stream+1, v.Sentence),
			}
		}
		out[at].Verdict = out[at].Verdict.And(j.Verdict)
	}
}

// upTo are streams up to the first response that is newer than a revision, and whether
// there was one.
func upTo(streams []model.WatchStream, revision int64) (shorter []model.WatchStream, cut bool) {
	shorter = slices.Clone(streams)
	for i := range shorter {
		s := &shorter[i]
		n := slices.IndexFunc(s.Responses, func(r model.WatchResponse) bool {
			return r.Revision > revision || slices.ContainsFunc(r.Events, func(e model.WatchEvent) bool { return e.Revision > revision })
		})
		if n >= 0 {
			s.Responses = s.Responses[:n]
			return shorter[:i+1], true
		}
	}
	return shorter, false
}
