package matrix

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/metric"
)

// Happening is something that happens in stories of one way to fail.
type Happening struct {
	// Where is the tier of the node, or "fault"; What names the kind of thing.
	Where string `json:"where"`
	What  string `json:"what"`
	// Example is a line of a story.
	Example string `json:"example"`
	// Stories is in how many of those told it happens.
	Stories uint64 `json:"stories"`
}

// StoryDifference is what happens in the stories of one side, where the other side violates
// the same claim in the same way without it.
type StoryDifference struct {
	Label string `json:"label"`
	// Side is 0 or 1: that with more of these stories.
	Side int `json:"side"`
	Happening
	// Told is how many stories of each side were told, Of in how many of them it happens.
	Told [2]uint64 `json:"told"`
	Of   [2]uint64 `json:"of"`
}

// OtherSide is that with fewer of these stories.
func (s StoryDifference) OtherSide() int { return 1 - s.Side }

func (w *Way) add(told *story.Story) {
	w.Stories++
	for _, e := range told.Happenings() {
		i := slices.IndexFunc(w.Happenings, func(h Happening) bool { return h.Where == e.Where && h.What == e.What })
		if i < 0 {
			i = len(w.Happenings)
			w.Happenings = append(w.Happenings, Happening{Where: e.Where, What: e.What, Example: e.Node + " " + e.Text})
		}
		w.Happenings[i].Stories++
	}
}

// otherStories is what happens on one side much more often than on the other in the stories
// of the same way to fail, what tells them apart best first.
func otherStories(d *Difference) (all []StoryDifference) {
	for _, a := range d.Sides[0].Ways {
		for _, b := range d.Sides[1].Ways {
			if a.Label == b.Label {
				all = append(all, unlike(&a, &b)...)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y StoryDifference) int { return cmp.Compare(x.chance(), y.chance()) })
	return all
}

func unlike(a, b *Way) (all []StoryDifference) {
	ways := [2]*Way{a, b}
	for side, this := range ways {
		for _, h := range this.Happenings {
			s := StoryDifference{Label: a.Label, Side: side, Happening: h, Told: [2]uint64{a.Stories, b.Stories}}
			for k, w := range ways {
				s.Of[k] = w.count(&h)
			}
			more := s.Of[side]*s.Told[1-side] > s.Of[1-side]*s.Told[side]
			if more && s.chance() < often {
				all = append(all, s)
			}
		}
	}
	return all
}

// count is in how many stories of the way the same happens.
func (w *Way) count(h *Happening) uint64 {
	for i := range w.Happenings {
		if x := &w.Happenings[i]; x.Where == h.Where && x.What == h.What {
			return x.Stories
		}
	}
	return 0
}

// chance is the probability of counts as different as these, or more, if it happens equally
// often on both sides.
func (s *StoryDifference) chance() float64 {
	return metric.FisherTwoSided(int(s.Of[0]), int(s.Told[0]), int(s.Of[1]), int(s.Told[1]))
}
