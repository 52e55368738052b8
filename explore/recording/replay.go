package recording

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Divergence says where a run first departs from its recording.
type Divergence struct {
	// Index is the number of the choice, from 1.
	Index int
	// Wanted is the recorded choice; it is empty if the recording ends before a
	// question that was asked. Enabled are the enabled actions, or the question; it
	// is empty if the run was over.
	Wanted  string
	Enabled []string
}

func (d *Divergence) Error() string {
	const shown = 12
	switch {
	case d.Wanted == "":
		return fmt.Sprintf("choice %d: the recording ends, but there is %q to settle", d.Index, d.Enabled[0])
	case len(d.Enabled) == 0:
		return fmt.Sprintf("choice %d: %q was recorded, but the run is over", d.Index, d.Wanted)
	}
	list := d.Enabled
	more := ""
	if len(list) > shown {
		more = fmt.Sprintf(" and %d more", len(list)-shown)
		list = list[:shown]
	}
	return fmt.Sprintf("choice %d: %q was recorded, but there is %s%s", d.Index, d.Wanted, strings.Join(quoted(list), ", "), more)
}

func quoted(list []string) []string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = fmt.Sprintf("%q", s)
	}
	return q
}

// TraceMismatch says that every choice fits and the contents of messages differ
// from those of the recorded run.
type TraceMismatch struct {
	Recorded, Got explore.Hash
}

func (e *TraceMismatch) Error() string {
	return fmt.Sprintf("all choices fit, but messages differ: trace hash %s was recorded, this is %s", e.Recorded, e.Got)
}

// Replay carries out the recorded run again. The error is a *Divergence or a
// *TraceMismatch if it takes another course; the result is that of the run as
// far as it went.
func Replay(r *explore.Runner, rec *Recording) (explore.Result, error) {
	s, err := newStrict(rec.Choices)
	if err != nil {
		return explore.Result{}, err
	}
	res := r.Run(s)
	return res, s.replayed(res, rec)
}

// strict is a chooser that takes each recorded choice, or keeps the divergence
// where it cannot. At the end of the recording it cuts the run off, as the recorded
// run was.
type strict struct {
	choices    []choice
	used       int
	divergence *Divergence
	buf        []byte
}

// replayed says whether the run was the recorded one.
func (c *strict) replayed(res explore.Result, rec *Recording) error {
	switch {
	case c.divergence != nil:
		return c.divergence
	case c.used < len(c.choices):
		return &Divergence{Index: c.used + 1, Wanted: c.choices[c.used].String()}
	case res.TraceHash != rec.TraceHash:
		return &TraceMismatch{rec.TraceHash, res.TraceHash}
	}
	return nil
}

func newStrict(texts []string) (*strict, error) {
	choices, err := parseChoices(texts)
	if err != nil {
		return nil, err
	}
	return &strict{choices: choices}, nil
}

func (c *strict) Pick(w *sim.World, enabled []sim.Action) int {
	if c.divergence != nil || c.used == len(c.choices) {
		return -1
	}
	wanted := &c.choices[c.used]
	for i := range enabled {
		c.buf = w.AppendName(c.buf[:0], enabled[i])
		if !strings.HasPrefix(wanted.name, string(c.buf)) || wanted.isAnswer() {
			continue
		}
		if actionName(w, enabled, i) == wanted.name {
			c.used++
			return i
		}
	}
	c.divergence = &Divergence{Index: c.used + 1, Wanted: wanted.String()}
	for i := range enabled {
		c.divergence.Enabled = append(c.divergence.Enabled, actionName(w, enabled, i))
	}
	return -1
}

func (c *strict) Choose(w *sim.World, n int, what string) int {
	if c.divergence != nil {
		return 0
	}
	asked := choice{name: string(appendQuestion(nil, w, what)), options: n}
	c.divergence = &Divergence{Index: c.used + 1, Enabled: []string{fmt.Sprintf("%s of %d", asked.name, n)}}
	if c.used == len(c.choices) {
		return 0
	}
	wanted := &c.choices[c.used]
	if wanted.name != asked.name || wanted.options != n {
		c.divergence.Wanted = wanted.String()
		return 0
	}
	c.divergence = nil
	c.used++
	return wanted.value
}
