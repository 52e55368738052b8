package debugger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

// Debugger answers questions about runs. It is for one goroutine.
type Debugger struct {
	// Brief: a run is answered by its Story, in place of its View.
	Brief bool
	// opened are the runs that were opened last, the newest at the end.
	opened []*run
}

// maxOpened is how many runs are kept.
const maxOpened = 8

// Question is what Call takes, as JSON. Each operation reads the fields that Operations names.
type Question struct {
	Link     string   `json:"link,omitempty" jsonschema:"a run"`
	Other    string   `json:"other,omitempty" jsonschema:"the link of another run"`
	Step     int      `json:"step,omitempty" jsonschema:"a step of the run, from 0 on"`
	Choice   int      `json:"choice,omitempty" jsonschema:"a choice of the run, from 0 on, as at names it"`
	Name     string   `json:"name,omitempty" jsonschema:"the other action or answer, as at names it"`
	Set      []string `json:"set,omitempty" jsonschema:"options, NAME=VALUE each"`
	Scenario string   `json:"scenario,omitempty"`
	Strategy string   `json:"strategy,omitempty" jsonschema:"portfolio if it is empty"`
	Seed     uint64   `json:"seed,omitempty" jsonschema:"the first seed"`
	Count    uint64   `json:"count,omitempty"`
	Reaches  []string `json:"reaches,omitempty" jsonschema:"situations (coverage points): the runs in which one comes about, or two in this order"`
}

// Operation is a question that can be asked.
type Operation struct {
	Name, Doc string
	answer    func(*Debugger, *Question) (any, error)
}

// Operations lists them.
func Operations() []Operation { return slices.Clone(operations) }

var operations = []Operation{
	{"open", "the run of a link", onRun(func(r *run, _ *Question) (any, error) { return r, nil })},
	{"catalogue", "the names of scenarios, releases of etcd, designs of the cache, known bugs and situations", func(*Debugger, *Question) (any, error) { return listed(), nil }},
	{"search", "in how many schedules (count of them, by the seeds from seed on) each claim is violated, and the first one's link; with reaches also the first runs in which these situations come about", func(_ *Debugger, q *Question) (any, error) { return search(q) }},
	{"steps", "count steps of a run from step on, a sentence each", onRun(func(r *run, q *Question) (any, error) { return r.steps(q.Step, q.Count) })},
	{"state", "what the nodes hold after a step, and what it changed", onRun(func(r *run, q *Question) (any, error) { return r.state(q.Step) })},
	{"run", "the run that a strategy makes of a seed, in a scenario with these options set", func(_ *Debugger, q *Question) (any, error) { return q.run() }},
	{"at", "how the claims stood behind a step, and what could have happened in place of it", onRun(func(r *run, q *Question) (any, error) { return r.at(q.Step) })},
	{"take", "the run with another action or answer (name) at a choice, by the old choices from there on as far as they fit", onRun(func(r *run, q *Question) (any, error) { return r.take(q.Choice, q.Name) })},
	{"flip", "the run with options set to other values, by the old choices as far as they fit", onRun(func(r *run, q *Question) (any, error) { return r.flip(q.Set) })},
	{"shrink", "a smaller run that fails in the same way", onRun(func(r *run, _ *Question) (any, error) { return r.shrink() })},
	{"compare", "a run beside another one (other), step by step: the steps that are the same, and the first that is not", func(d *Debugger, q *Question) (any, error) { return d.compare(q) }},
	{"inevitable", "the step after which all continuations fail that are tried: thousands of runs", onRun(func(r *run, _ *Question) (any, error) { return r.inevitable() })},
	{"cause", "what decides, and the link of a run beside this one that passes: hundreds of runs", onRun(func(r *run, _ *Question) (any, error) { return r.cause() })},
}

// Call answers a question. The question and the answer are JSON.
func (d *Debugger) Call(operation string, question []byte) ([]byte, error) {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == operation })
	if i < 0 {
		var names []string
		for _, o := range operations {
			names = append(names, o.Name)
		}
		return nil, fmt.Errorf("there is no operation %q: there are %s", operation, strings.Join(names, ", "))
	}
	var q Question
	strict := json.NewDecoder(bytes.NewReader(question))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&q); err != nil {
		return nil, fmt.Errorf("%s: %w", operation, err)
	}
	var answer any
	err := explore.Settled(func() (err error) {
		answer, err = operations[i].answer(d, &q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if r, opened := answer.(*run); opened {
		d.keep(r)
		if answer = r.view(); d.Brief {
			answer = r.story()
		}
	}
	return json.Marshal(answer)
}

func onRun(answer func(*run, *Question) (any, error)) func(*Debugger, *Question) (any, error) {
	return func(d *Debugger, q *Question) (any, error) {
		r, err := d.open(q.Link)
		if err != nil {
			return nil, err
		}
		return answer(r, q)
	}
}

func (d *Debugger) open(link string) (*run, error) {
	link = strings.TrimPrefix(link, "#")
	if i := slices.IndexFunc(d.opened, func(r *run) bool { return r.link == link }); i >= 0 {
		return d.opened[i], nil
	}
	h, numbers, err := diagnosis.ParseLink(link)
	if err != nil {
		return nil, err
	}
	r, err := openLink(&h, numbers)
	if err == nil {
		d.keep(r)
	}
	return r, err
}

func openLink(h *diagnosis.Link, numbers []byte) (*run, error) {
	rec, err := h.Open(numbers)
	if err != nil {
		return nil, err
	}
	return newRun(rec, explore.Failure{Property: h.Property, Label: h.Label})
}

func (d *Debugger) keep(r *run) {
	if !slices.Contains(d.opened, r) {
		d.opened = append(d.opened, r)
		d.opened = d.opened[max(0, len(d.opened)-maxOpened):]
	}
}

// run is the run of a seed.
func (q *Question) run() (*run, error) {
	sc, p, chosen, err := q.scenario()
	if err != nil {
		return nil, err
	}
	h := diagnosis.Link{Scenario: sc.Name, Set: p.Changed(&sc.Params), Strategy: chosen.Name, Seed: q.Seed}
	return openLink(&h, nil)
}

// scenario is that of a question, with its options set, and its strategy.
func (q *Question) scenario() (*testbed.Scenario, testbed.Params, strategy.Strategy, error) {
	chosen := strategy.Default()
	sc, err := testbed.FindScenario(q.Scenario)
	if err != nil {
		return nil, testbed.Params{}, chosen, err
	}
	if q.Strategy != "" {
		if chosen, err = strategy.Find(q.Strategy); err != nil {
			return nil, testbed.Params{}, chosen, err
		}
	}
	p, err := with(sc.Params, q.Set)
	return sc, p, chosen, err
}
