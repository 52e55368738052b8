package linearizability

import (
	"slices"

	"github.com/watchbed/watchbed/linearizability/partial"
	"github.com/watchbed/watchbed/model"
)

// CheckRecorded judges a history without ground truth, as people record them: what became
// of writes of unknown outcome is found out first, as far as the answers tell. Porcupine is
// asked where that leaves the witness undecided, whatever the size of the history. What it
// returns is valid until the next check.
//
// In a partial history "holds" says that writes of others can explain the answers, and
// "violated" that none can.
func (j *Judge) CheckRecorded(h *model.History, props ...Property) ([]Judgement, error) {
	if h.Partial {
		return j.checkPartial(h, props)
	}
	known := settle(h)
	first, err := j.check(known, false, props)
	judged := slices.Clone(first)
	if open := undecided(judged); err == nil && len(open) > 0 {
		var guessed, asked []Judgement
		if guessed, err = j.check(guess(h), false, open); err == nil {
			// What holds in one possible past holds. What does not may hold in another.
			put(judged, slices.DeleteFunc(slices.Clone(guessed), func(g Judgement) bool { return g.Verdict == model.Violated }))
			asked, err = j.check(known, true, undecided(judged))
			put(judged, asked)
		}
	}
	return judged, err
}

func (j *Judge) checkPartial(h *model.History, props []Property) ([]Judgement, error) {
	var judged []Judgement
	for _, p := range props {
		out, err := j.check(partial.Complete(h, p.Claims), false, []Property{p})
		if err != nil {
			return judged, err
		}
		judged = append(judged, out...)
	}
	return judged, nil
}

func (j *Judge) check(h *model.History, decide bool, props []Property) ([]Judgement, error) {
	j.decide = decide
	defer func() { j.decide = false }()
	return j.Check(h, nil, props...)
}

func undecided(judged []Judgement) (open []Property) {
	for i := range judged {
		if judged[i].Verdict == model.Undecided {
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
