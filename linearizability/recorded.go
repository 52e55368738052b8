package linearizability

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// CheckRecorded judges a history without ground truth, as people record them: what became
// of writes of unknown outcome is found out first, as far as the answers tell. Porcupine is
// asked where the verdict of the witness is unknown, whatever the size of the history. What it
// returns is valid until the next check.
//
// In a partial history "holds" says that writes of others can explain the answers, and
// "violated" that none can.
func (j *Judge) CheckRecorded(h *model.History, props ...Property) ([]Judgement, error) {
	// The outcomes of writes are settled from here on.
	j.lost = losesWrites(h)
	defer func() { j.lost = false }()
	judged, err := j.checkRecorded(h, props)
	for i := range judged {
		if g := &judged[i]; g.Verdict == model.Vacuous && g.Property.ordered() {
			if g.Exercised = boundComparisons(h, g.Property); g.Exercised > 0 {
				g.Verdict = model.Holds
			}
		}
	}
	return judged, err
}

func (j *Judge) checkRecorded(h *model.History, props []Property) ([]Judgement, error) {
	if beyond(h) != "" {
		return j.Check(h, nil, props...)
	}
	if h.Partial {
		h, j.previous = withPrevious(h)
		defer func() { j.previous = nil }()
		return j.checkPartial(h, props)
	}
	h = items.WithExpiries(h)
	known := settle(h, false)
	if known == h || !slices.Contains(props, LinearizableData) {
		return j.checkSettled(h, known, props)
	}
	// What the revisions of lists tell of writes is no part of that property.
	others := slices.DeleteFunc(slices.Clone(props), func(p Property) bool { return p == LinearizableData })
	judged, err := j.checkSettled(h, known, others)
	if err != nil {
		return judged, err
	}
	data, err := j.checkSettled(h, settle(h, true), []Property{LinearizableData})
	return slices.Insert(judged, slices.Index(props, LinearizableData), data...), err
}

// checkSettled judges a history of which it is known what became of writes, as far as answers
// tell.
func (j *Judge) checkSettled(h, known *model.History, props []Property) ([]Judgement, error) {
	first, err := j.checkGuess(known, props)
	judged := slices.Clone(first)
	open := unknown(judged)
	if err != nil || len(open) == 0 {
		return judged, err
	}
	guessed, err := j.checkGuess(guess(h), open)
	if err != nil {
		return judged, err
	}
	// What holds in one possible past holds. What does not may hold in another.
	put(judged, slices.DeleteFunc(slices.Clone(guessed), func(g Judgement) bool { return g.Verdict == model.Violated }))
	if open = unknown(judged); len(open) == 0 {
		return judged, nil
	}
	asked, err := j.check(known, true, open)
	put(judged, asked)
	return judged, err
}

// checkGuess judges one completion of a history.
func (j *Judge) checkGuess(h *model.History, props []Property) ([]Judgement, error) {
	j.guessed = true
	defer func() { j.guessed = false }()
	return j.check(h, false, props)
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

func (j *Judge) checkPartial(h *model.History, props []Property) ([]Judgement, error) {
	first, err := j.checkGuess(h, props)
	judged := slices.Clone(first)
	violated := false
	for _, p := range unknown(judged) {
		// The likely verdict comes first: all completions and a single one may both take much time.
		completeFirst := !violated && !completionOf(p).losesAny(h)
		open, e := j.checkOpen(h, p, completeFirst)
		if e != nil {
			return judged, e
		}
		put(judged, []Judgement{open})
		violated = violated || open.Verdict == model.Violated
	}
	return judged, err
}

// checkOpen judges a property of a partial history by what all of its completions have in common,
// and by one of them. A completion may come first if it loses nothing: one that holds then
// decides.
func (j *Judge) checkOpen(h *model.History, p Property, completeFirst bool) (Judgement, error) {
	ways := []func(*model.History, Property) (Judgement, error){j.checkCommon, j.checkCompleted}
	if completeFirst {
		slices.Reverse(ways)
	}
	var completed Judgement
	for i, way := range ways {
		out, err := way(h, p)
		if err != nil || out.Verdict != model.VerdictUnknown {
			return out, err
		}
		if completeFirst == (i == 0) {
			completed = out
		}
	}
	return completed, nil
}

func (j *Judge) checkCommon(h *model.History, p Property) (Judgement, error) {
	judged, err := j.check(h, false, []Property{p})
	return judged[0], err
}

func (j *Judge) checkCompleted(h *model.History, p Property) (Judgement, error) {
	known := completionOf(p)
	judged, err := j.checkGuess(j.complete(h, known), []Property{p})
	if err == nil && judged[0].Verdict == model.VerdictUnknown && !known.readsAtRevision {
		// The revisions of lists are no part of the property, but most likely right.
		known.readsAtRevision = true
		judged, err = j.checkGuess(j.complete(h, known), []Property{p})
	}
	return judged[0], err
}

func completionOf(p Property) completing {
	return completing{Property: p, realTime: p == Linearizable || p == LinearizableData, readsAtRevision: p != LinearizableData}
}

// complete lets go of the completion before: each may be larger than what was recorded.
func (j *Judge) complete(h *model.History, known completing) *model.History {
	j.witness.history = nil
	return complete(h, known)
}

func (j *Judge) check(h *model.History, decide bool, props []Property) ([]Judgement, error) {
	j.decide = decide
	defer func() { j.decide = false }()
	return j.Check(h, nil, props...)
}

func unknown(judged []Judgement) (open []Property) {
	for i := range judged {
		if judged[i].Verdict == model.VerdictUnknown {
			open = append(open, judged[i].Property)
		}
	}
	return open
}

// put replaces judgements by others on the same properties.
func put(judged, by []Judgement) {
	for _, b := range by {
		i := slices.IndexFunc(judged, func(j Judgement) bool { return j.Property == b.Property })
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
		if op := &h.Operations[i]; op.Request.Kind == model.Compact && op.Outcome == model.Done {
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
	grantNamed(log, request)
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

// grantNamed adds the leases to a log that a write names: which were granted is not judged.
func grantNamed(log *model.Log, write *model.Request) {
	grant := func(lease int64) {
		if lease != 0 && log.At(log.Revision()).Lease(lease) == nil {
			log.Append(&model.Request{Kind: model.LeaseGrant, Lease: lease})
		}
	}
	if write.Kind == model.LeaseRevoke {
		grant(write.Lease)
	}
	items.EachPut(write, func(put *model.Request) { grant(put.Lease) })
}
