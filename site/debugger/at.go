package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/turningpoint"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Moment is the run as it stood behind a step, and what could have happened in place of that step.
type Moment struct {
	Verdicts []Verdict `json:"verdicts"`
	Others   []Other   `json:"others"`
	// Left is how many others there are beyond those.
	Left int `json:"left"`
}

// Other is another action in place of a step, or another answer to a question in it. Choice is the number of the choice
// in the recording, Text says it, with the Question, which is empty for an action. Taken is the answer that the run has.
// Verdict is that of the claim that the run is about, one step on; it is empty far into a long run.
type Other struct {
	Choice   int    `json:"choice"`
	Name     string `json:"name"`
	Question string `json:"question,omitempty"`
	Text     string `json:"text"`
	Taken    string `json:"taken,omitempty"`
	Verdict  string `json:"verdict"`
}

// asked says a choice: an answer, which is a number, with its question, "scheduling delay of etcd, 0 to 4"; an action
// without one.
func asked(name string) (question, answer string) {
	a, is := recording.AnswerOf(name)
	if !is {
		return "", name
	}
	return fmt.Sprintf("%s of %s, 0 to %d", a.What, a.Node, a.Options-1), strconv.Itoa(a.Value)
}

const (
	// maxOthers is how many others of one choice are named.
	maxOthers = 24
	// maxTried is behind how many choices each of the others is tried, for its verdict: it takes a run up to there.
	maxTried = 500
)

// at looks at a step, from 0 on.
func (r *run) at(step int) (*Moment, error) {
	if err := r.has(step); err != nil {
		return nil, err
	}
	runner, err := diagnosis.LinkRunner(r.scenario, r.params)
	if err != nil {
		return nil, err
	}
	m := &Moment{Others: []Other{}}
	findings, err := prefix(runner, r.rec.Choices[:r.choices[step+1]])
	if err != nil {
		return nil, err
	}
	m.Verdicts = verdicts(findings)
	forks, err := r.forks(runner, step)
	if err != nil {
		return nil, err
	}
	for _, f := range forks {
		for i, other := range f.Others {
			if i == maxOthers {
				m.Left += len(f.Others) - i
				break
			}
			o := Other{Choice: f.At, Name: other}
			if o.Question, o.Text = asked(other); o.Question != "" {
				_, o.Taken = asked(f.Taken)
			}
			if r.choices[step] <= maxTried {
				findings, err := prefix(runner, append(slices.Clone(r.rec.Choices[:f.At]), other))
				if err != nil {
					return nil, err
				}
				o.Verdict = r.verdict(findings)
			}
			m.Others = append(m.Others, o)
		}
	}
	return m, nil
}

func (r *run) has(step int) error {
	if last := len(r.held.Trace.Steps) - 1; step < 0 || step > last {
		return fmt.Errorf("there is no step %d: the run has steps 0 to %d", step, last)
	}
	return nil
}

// forks are those of one step.
func (r *run) forks(runner *explore.Runner, step int) ([]recording.Fork, error) {
	all, err := recording.Forks(runner, r.rec)
	return slices.DeleteFunc(all, func(f recording.Fork) bool { return f.Step != step+1 }), err
}

// prefix judges a run that is cut off behind these choices. What is asked in the last step is answered by the first option.
func prefix(runner *explore.Runner, choices []string) ([]recording.Finding, error) {
	b, err := recording.NewBranch(&recording.Recording{Choices: choices}, len(choices), recording.CutOff{})
	if err != nil {
		return nil, err
	}
	rec, _ := recording.Record(runner, b)
	return rec.Findings, nil
}

// verdict is that on the claim that the run is about; of a run that is about none it is the first violation.
func (r *run) verdict(findings []recording.Finding) string {
	for _, v := range verdicts(findings) {
		if r.told == nil || v.Property == r.failure.Property {
			return v.Verdict
		}
	}
	return ""
}

// take has the run take another course at a choice, and go on by the old choices as far as they fit.
func (r *run) take(choice int, other string) (*run, error) {
	if choice < 0 || choice >= len(r.rec.Choices) {
		return nil, fmt.Errorf("there is no choice %d: the run has choices 0 to %d", choice, len(r.rec.Choices)-1)
	}
	detour, err := recording.NewDetour(r.rec, recording.Fork{At: choice}, other)
	if err != nil {
		return nil, err
	}
	runner, err := diagnosis.LinkRunner(r.scenario, r.params)
	if err != nil {
		return nil, err
	}
	rec, _ := recording.Record(runner, detour)
	if choice >= len(rec.Choices) || rec.Choices[choice] != other {
		return nil, fmt.Errorf("%q cannot happen at choice %d", other, choice)
	}
	return r.beside(rec, r.params)
}

// flip follows the run with other values of options, as far as it fits.
func (r *run) flip(settings []string) (*run, error) {
	p, err := with(r.params, settings)
	if err != nil {
		return nil, err
	}
	runner, err := diagnosis.LinkRunner(r.scenario, p)
	if err != nil {
		return nil, err
	}
	follower, err := recording.NewFollower(r.rec)
	if err != nil {
		return nil, err
	}
	rec, _ := recording.Record(runner, follower)
	return r.beside(rec, p)
}

func with(p testbed.Params, settings []string) (testbed.Params, error) {
	for _, text := range settings {
		s, err := option.ParseSetting(text)
		if err != nil {
			return p, err
		}
		if err := p.Set(s.Name, s.Value); err != nil {
			return p, err
		}
	}
	return p, nil
}

// beside opens a run that came of this one.
func (r *run) beside(rec *recording.Recording, p testbed.Params) (*run, error) {
	rec.Tool, rec.Scenario, rec.Parameters, rec.Strategy, rec.Seed = r.rec.Tool, r.scenario.Name, p.Expand(), r.rec.Strategy, r.rec.Seed
	for _, f := range rec.Violations() {
		if f.Property == r.failure.Property {
			return newRun(rec, f)
		}
	}
	return newRun(rec, explore.Failure{})
}

// Cause is what decides, and a run that passes; Passing is empty if there is none, and Difference says how that differs.
type Cause struct {
	Text       string `json:"text"`
	Passing    string `json:"passing"`
	Difference string `json:"difference"`
}

// cause looks for what decides, in hundreds of runs.
func (r *run) cause() (*Cause, error) {
	if r.told == nil {
		return nil, errHolds
	}
	d, err := diagnosis.Of(r.scenario, r.rec, r.failure)
	if err != nil {
		return nil, err
	}
	c := &Cause{Text: d.Cause()}
	nearest, err := d.Nearest()
	if err != nil || nearest == nil {
		return c, err
	}
	c.Difference = nearest.Difference
	made, _ := nearest.Recording.MadeFor()
	c.Passing, err = diagnosis.LinkTo(nearest.Recording, made)
	return c, err
}

// Inevitable is where the violation became inevitable: after Step, from 0 on, all of so many random continuations fail, and
// so many of them a choice before. Step is -1 if that is so from the start on, and the last if it never is. Text says it;
// Passing is the link of the nearest schedule that passes, empty if none was found.
type Inevitable struct {
	Step    int    `json:"step"`
	Text    string `json:"text"`
	Passing string `json:"passing"`
}

// inevitable looks for the turning point, in thousands of runs.
func (r *run) inevitable() (*Inevitable, error) {
	if r.told == nil {
		return nil, errHolds
	}
	runner, err := diagnosis.LinkRunner(r.scenario, r.params)
	if err != nil {
		return nil, err
	}
	point, err := turningpoint.Find(runner, r.rec, r.failure.Property, maxTurning)
	if err != nil {
		return nil, err
	}
	// The world counts steps from 1, and here 0 is the first.
	found := &Inevitable{Step: point.Inevitable - 1, Text: point.Sentences(r.told.Story.Called)}
	if point.Inevitable < 0 {
		found.Step = len(r.held.Trace.Steps) - 1
	}
	if point.Nearest == nil {
		return found, nil
	}
	chooser, err := point.Passing(runner, r.rec)
	if err != nil {
		return nil, err
	}
	rec, _ := recording.Record(runner, chooser)
	rec.Tool, rec.Scenario, rec.Parameters = r.rec.Tool, r.scenario.Name, r.params.Expand()
	made, _ := rec.MadeFor()
	found.Passing, err = diagnosis.LinkTo(rec, made)
	return found, err
}

// maxTurning is how many choices all continuations together may have.
const maxTurning = 4_000_000

var errHolds = errors.New("no claim is violated in this run")

// shrink makes the run smaller.
func (r *run) shrink() (*run, error) {
	if r.told == nil {
		return nil, errHolds
	}
	runner, err := diagnosis.LinkRunner(r.scenario, r.params)
	if err != nil {
		return nil, err
	}
	s, err := recording.Shrink(context.Background(), runner, r.rec, r.failure, 0)
	if err != nil {
		return nil, err
	}
	return newRun(s.Recording, r.failure)
}
