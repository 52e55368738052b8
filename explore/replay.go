package explore

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// Divergence says where a run first departs from its recording.
type Divergence struct {
	// Index is the number of the choice, from 1.
	Index int
	// Wanted is the recorded choice, and Enabled what there was instead: the
	// enabled actions, or the question that was asked. Enabled is empty if the
	// run was over. Wanted is empty if a question was asked that the recording
	// does not answer.
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

// TraceMismatch says that every choice fits and the contents still differ:
// messages say something else than when the run was recorded.
type TraceMismatch struct {
	Recorded, Got Hash
}

func (e *TraceMismatch) Error() string {
	return fmt.Sprintf("all choices fit, but messages differ: trace hash %s was recorded, this is %s", e.Recorded, e.Got)
}

// Replay carries out the recorded run again. The error is a *Divergence or a
// *TraceMismatch if it takes another course; the result is that of the run as
// far as it went.
func Replay(r *Runner, rec *Recording) (Result, error) {
	s, err := newStrict(rec.Choices)
	if err != nil {
		return Result{}, err
	}
	res := r.Run(s)
	switch {
	case s.divergence != nil:
		return res, s.divergence
	case s.used < len(s.choices):
		return res, &Divergence{Index: s.used + 1, Wanted: s.choices[s.used].String()}
	case Hash(res.TraceHash) != rec.TraceHash:
		return res, &TraceMismatch{rec.TraceHash, Hash(res.TraceHash)}
	}
	return res, nil
}

// strict takes each recorded choice or says where it cannot. At the end of the
// recording it cuts the run off, as it was when it was recorded.
type strict struct {
	choices    []choice
	used       int
	divergence *Divergence
	buf        []byte
}

func newStrict(choices []string) (*strict, error) {
	s := &strict{choices: make([]choice, len(choices))}
	for i, text := range choices {
		c, err := parseChoice(text)
		if err != nil {
			return nil, fmt.Errorf("choice %d: %w", i+1, err)
		}
		s.choices[i] = c
	}
	return s, nil
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
		if nameAmong(w, enabled, i) == wanted.name {
			c.used++
			return i
		}
	}
	c.divergence = &Divergence{Index: c.used + 1, Wanted: wanted.String()}
	for i := range enabled {
		c.divergence.Enabled = append(c.divergence.Enabled, nameAmong(w, enabled, i))
	}
	return -1
}

func (c *strict) Choose(w *sim.World, n int, what string) int {
	if c.divergence != nil {
		return 0
	}
	asked := choice{name: string(question(nil, w, what)), options: n}
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
