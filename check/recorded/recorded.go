// Package recorded (unstable) judges histories without ground truth, as people record them: what became of writes of
// unknown outcome is found out first, as far as the answers tell.
//
// A completion of a history decides what is open: which writes of unknown outcome took effect and when, which leases
// expired and, if the history is partial, what other clients wrote. This package finds what is certain (settle), and
// one completion that fits what answers show (guess, fates, complete); package possible knows what all of them have in
// common.
//
// No simulation needs it: it must never be imported by what runs one.
package recorded

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// Judge judges recorded histories. Porcupine is asked where the verdict of the witness is unknown, whatever the size of
// the history. In a partial history "holds" says that writes of others can explain the answers, and "violated" that
// none can. The zero value is ready to use, by one goroutine at a time.
type Judge struct {
	linearizability.Judge
	// beyond is why nothing of the last history can be judged.
	beyond string
	// lost: the history was recorded without what became of some write.
	lost bool
	// previous are the writes of which operations have the previous values, see withPrevious.
	previous map[int]int
}

type (
	property  = linearizability.Property
	judgement = linearizability.Judgement
)

// Check judges the properties in the order given. The error is nil or a *linearizability.Disagreement.
func (j *Judge) Check(h *model.History, props ...property) ([]judgement, error) {
	j.lost, j.previous = linearizability.LosesWrites(h), nil
	if j.beyond = beyond(h); j.beyond != "" {
		j.Forget()
		var judged []judgement
		for _, p := range props {
			judged = append(judged, judgement{Property: p, Verdict: model.VerdictUnknown})
		}
		return judged, nil
	}
	judged, err := j.checkAny(h, props)
	for i := range judged {
		if g := &judged[i]; g.Verdict == model.Vacuous && g.Property.IsOrder() {
			g.Exercised = linearizability.CountBound(h, g.Property, func(op *model.Operation) bool { return decides(op.Request) })
			if g.Exercised > 0 {
				g.Verdict = model.Holds
			}
		}
	}
	return judged, err
}

func (j *Judge) checkAny(h *model.History, props []property) ([]judgement, error) {
	if h.Partial {
		h, j.previous = withPrevious(h)
		return j.checkPartial(h, props)
	}
	h = items.WithExpiries(h)
	known := settle(h, false)
	data := slices.Index(props, linearizability.LinearizableData)
	if known == h || data < 0 {
		return j.checkSettled(h, known, props)
	}
	// What the revisions of lists tell of writes is no part of that property.
	judged, err := j.checkSettled(h, known, slices.Delete(slices.Clone(props), data, data+1))
	if err != nil {
		return judged, err
	}
	of, err := j.checkSettled(h, settle(h, true), props[data:data+1])
	return slices.Insert(judged, data, of...), err
}

// checkSettled judges a history of which it is known what became of writes, as far as answers
// tell.
func (j *Judge) checkSettled(h, known *model.History, props []property) ([]judgement, error) {
	judged, err := j.checkAs(known, true, false, props)
	open := unknown(judged)
	if err != nil || len(open) == 0 {
		return judged, err
	}
	guessed, err := j.checkAs(guess(h), true, false, open)
	if err != nil {
		return judged, err
	}
	// What holds in one possible past holds. What does not may hold in another.
	put(judged, slices.DeleteFunc(guessed, func(g judgement) bool { return g.Verdict == model.Violated }))
	if open = unknown(judged); len(open) == 0 {
		return judged, nil
	}
	asked, err := j.checkAs(known, false, true, open)
	put(judged, asked)
	return judged, err
}

// checkAs judges a history that is one completion, if it is guessed, and what all completions of it have in common if
// not.
func (j *Judge) checkAs(h *model.History, guessed, decide bool, props []property) ([]judgement, error) {
	how := linearizability.Recorded{Guessed: guessed, Decide: decide, Lost: j.lost, Of: j.previous}
	judged, err := j.Judge.CheckRecorded(h, how, props...)
	return slices.Clone(judged), err
}

// withPrevious adds to a partial history what its writes were answered as previous values: a transaction each, which
// reads at the revision before. The second result is the write of each of them.
func withPrevious(h *model.History) (*model.History, map[int]int) {
	out, of := *h, map[int]int{}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Outcome != model.Done {
			continue
		}
		before := model.Result{Revision: op.Result.Revision, Succeeded: true}
		if before.Revision > 0 && op.Request.Changed(op.Result) {
			before.Revision--
		}
		read := model.Request{Kind: model.Txn}
		addPrevious(&read, &before, op.Request, op.Result)
		if len(read.Success) > 0 {
			of[len(h.Operations)+len(of)] = i
			// It comes before the write in the order of its client.
			out.Operations = append(slices.Clip(out.Operations), model.Operation{Client: op.Client, Server: op.Server, Call: op.Call - 1, Return: op.Return, Request: &read, Result: &before})
		}
	}
	return &out, of
}

func addPrevious(read *model.Request, before *model.Result, r *model.Request, res *model.Result) {
	if r.PrevKV || len(res.Prev) > 0 {
		shown := model.Result{Items: res.Prev}
		one := model.Request{Kind: model.Get, Key: r.Key}
		switch {
		case r.Kind == model.Delete:
			one.Kind, one.End = model.List, items.RangeEnd(r)
			shown.Count = res.Deleted
		case r.PrevKV:
			shown.Count = int64(len(res.Prev))
		}
		read.Success, before.Results = append(read.Success, one), append(before.Results, shown)
	}
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		addPrevious(read, before, &branch[i], &res.Results[i])
	}
}

func (j *Judge) checkPartial(h *model.History, props []property) ([]judgement, error) {
	judged, err := j.checkAs(h, true, false, props)
	violated := false
	for _, p := range unknown(judged) {
		// The likely verdict comes first: all completions and a single one may both take much time.
		open, e := j.checkOpen(h, p, !violated && !losesAny(p, h))
		if e != nil {
			return judged, e
		}
		put(judged, []judgement{open})
		violated = violated || open.Verdict == model.Violated
	}
	return judged, err
}

// checkOpen judges a property of a partial history by what all of its completions have in common,
// and by one of them. A completion may come first if it loses nothing: one that holds then
// decides.
func (j *Judge) checkOpen(h *model.History, p property, completeFirst bool) (judgement, error) {
	common := func() (judgement, error) {
		judged, err := j.checkAs(h, false, false, []property{p})
		return judged[0], err
	}
	if !completeFirst {
		if out, err := common(); err != nil || out.Verdict != model.VerdictUnknown {
			return out, err
		}
	}
	completed, err := j.checkCompleted(h, p)
	if !completeFirst || err != nil || completed.Verdict != model.VerdictUnknown {
		return completed, err
	}
	out, err := common()
	if err == nil && out.Verdict == model.VerdictUnknown {
		return completed, nil
	}
	return out, err
}

func (j *Judge) checkCompleted(h *model.History, p property) (judgement, error) {
	// The revisions of lists are no part of linearizable-data, but most likely right.
	for readsAtRevision := p != linearizability.LinearizableData; ; readsAtRevision = true {
		// Each completion may be larger than what was recorded.
		j.Forget()
		judged, err := j.checkAs(complete(h, p, readsAtRevision), true, false, []property{p})
		if err != nil || judged[0].Verdict != model.VerdictUnknown || readsAtRevision {
			return judged[0], err
		}
	}
}

// inRealTime reports whether what has returned before a call is before it in the order.
func inRealTime(p property) bool {
	return p == linearizability.Linearizable || p == linearizability.LinearizableData
}

func unknown(judged []judgement) (open []property) {
	for i := range judged {
		if judged[i].Verdict == model.VerdictUnknown {
			open = append(open, judged[i].Property)
		}
	}
	return open
}

// put replaces judgements by others on the same properties.
func put(judged, by []judgement) {
	for _, b := range by {
		i := slices.IndexFunc(judged, func(j judgement) bool { return j.Property == b.Property })
		judged[i] = b
	}
}

// Truth is the log of a recorded history: its writes in the order of their revisions, as
// far as it is known which write made which. Watches are held against it.
//
// What became of writes of unknown outcome is found out as CheckRecorded does, but that
// events of watches are taken at their word where a write fits them.
//
// The log ends before the first revision of which the write is not known. The second
// result says why, in a clause; it is empty if the log has all that was written.
func Truth(h *model.History) (log *model.Log, ends string) {
	if !h.Partial {
		h = items.WithExpiries(h)
	}
	s := newSettling(h)
	s.look(true)
	if s.open() {
		s.fillGaps()
	}
	log = model.NewLog(h.Initial)
	newest := h.Initial.Revision
	for rev := range s.made {
		newest = max(newest, rev)
	}
	if h.Partial || len(s.lost) > 0 {
		newest = max(newest, s.newest)
	}
	for rev := h.Initial.Revision + 1; ends == "" && rev <= newest; rev++ {
		ends = s.extend(log, rev)
	}
	for i := range h.Operations {
		// One that was not answered may have been carried out, and one that etcd refuses as compacted shows another
		// one.
		if op := &h.Operations[i]; op.Request.Kind == model.Compact && (op.Outcome != model.Failed || op.Result.Err == model.Compacted) {
			log.Append(op.Request)
		}
	}
	return log, ends
}

// extend adds the write of a revision to the log, or says why not.
func (s *settling) extend(log *model.Log, rev int64) string {
	if !s.isMade(rev) {
		s.revoked(log.At(rev-1), rev)
	}
	if !s.isMade(rev) {
		return s.gap(rev)
	}
	request := s.history.Operations[s.made[rev]].Request
	items.GrantNamed(log, request)
	log.Append(request)
	if log.Revision() < rev {
		return fmt.Sprintf("the write of revision %d would have changed nothing", rev)
	}
	return ""
}

// gap says why the log ends before a revision: its write is not known.
func (s *settling) gap(rev int64) string {
	if s.history.Partial {
		return fmt.Sprintf("revision %d was made by a write that is not recorded", rev)
	}
	if len(s.lost) == 0 {
		return fmt.Sprintf("no recorded write made revision %d", rev)
	}
	return fmt.Sprintf("it is not known which write made revision %d: %d were not answered, or without a revision", rev, len(s.lost))
}
