package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// Summary is what a campaign came to: the object that "simrun run --json"
// prints.
type Summary struct {
	Scenario  string   `json:"scenario"`
	Etcd      string   `json:"etcd"`
	Client    string   `json:"client,omitempty"`
	Cache     string   `json:"cache"`
	Bugs      []string `json:"bugs,omitempty"`
	Assume    []string `json:"assume,omitempty"`
	Strategy  string   `json:"strategy"`
	FirstSeed uint64   `json:"firstSeed"`
	// Seeds and Schedules are the number of runs: a schedule a seed.
	Seeds     uint64 `json:"seeds"`
	Schedules uint64 `json:"schedules"`
	Choices   uint64 `json:"choices"`
	Messages  uint64 `json:"messages"`
	// Seconds are wall-clock, CPUSeconds of all processors together.
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	// Violations is the number of runs that violated a property, each property
	// counted by itself.
	Violations   uint64       `json:"violations"`
	CampaignHash explore.Hash `json:"campaignHash"`
	Rechecked    uint64       `json:"rechecked"`
	Truncated    uint64       `json:"truncated"`
	Interrupted  bool         `json:"interrupted,omitempty"`
	Verdict      string       `json:"verdict"`
	// Properties by name; Claims has them in order.
	Properties map[string]Property `json:"properties"`
	Claims     []string            `json:"claims"`
	Failures   []Failure           `json:"failures"`
	// Expected is what the catalogue expects to be violated; Missing and
	// Unexpected are the differences.
	Expected   []string `json:"expected"`
	Missing    []string `json:"missing,omitempty"`
	Unexpected []string `json:"unexpected,omitempty"`
	// Situations are counts of what came about, by name.
	Situations map[string]uint64 `json:"situations"`
	// Metrics are what timed runs measured, in the order of registration. They
	// depend on the strategy: only random draws every delay evenly.
	Metrics []Measured `json:"metrics,omitempty"`
}

// Property is one claim over all runs.
type Property struct {
	Verdict    string `json:"verdict"`
	Exercised  uint64 `json:"exercised"`
	Violations uint64 `json:"violations"`
}

// Failure is one way to fail. Choices is the length of the run in the replay
// file.
type Failure struct {
	Property  string   `json:"property"`
	Label     string   `json:"label"`
	Why       string   `json:"why,omitempty"`
	Story     []string `json:"story,omitempty"`
	Seed      uint64   `json:"seed"`
	Schedules uint64   `json:"schedules"`
	Choices   int      `json:"choices,omitempty"`
	Replay    string   `json:"replay,omitempty"`
}

// Summarize says what a campaign came to. Stories and replay files are left to
// the caller.
func Summarize(sc *scenarios.Scenario, p *scenarios.Params, c *explore.Campaign) *Summary {
	s := &Summary{
		Scenario: sc.Name, Etcd: p.Etcd, Client: p.Client, Cache: p.Cache, Bugs: p.Bugs, Assume: assumptions(p),
		Strategy: c.Strategy, FirstSeed: c.FirstSeed, Seeds: c.Schedules, Schedules: c.Schedules,
		Choices: c.Stats.Choices, Messages: c.Stats.Messages, Seconds: c.Elapsed.Seconds(), CPUSeconds: c.CPU.Seconds(),
		CampaignHash: explore.Hash(c.Hash), Rechecked: c.Rechecked, Truncated: c.Truncated, Interrupted: c.Interrupted,
		Verdict: c.Verdict().String(), Properties: map[string]Property{}, Failures: []Failure{},
		Expected: append([]string{}, sc.ExpectedViolations(p)...), Situations: map[string]uint64{},
	}
	var violated []string
	for _, t := range c.Properties {
		s.Claims = append(s.Claims, t.Name)
		s.Properties[t.Name] = Property{t.Verdict.String(), t.Exercised, t.Violations}
		s.Violations += t.Violations
		if t.Verdict == model.Violated {
			violated = append(violated, t.Name)
		}
	}
	s.Missing, s.Unexpected = sc.Outcome(p, violated)
	for _, f := range c.Failures {
		s.Failures = append(s.Failures, Failure{Property: f.Failure.Property, Label: f.Failure.Label, Seed: f.FirstSeed, Schedules: f.Schedules})
	}
	for _, t := range c.Situations {
		if t.Times > 0 {
			s.Situations[t.Situation.String()] = t.Times
		}
	}
	s.Metrics = measure(c.Metrics)
	return s
}

// Link adds what is told of a way to fail: its story, the length of the run in
// the replay file, and where that is.
func (s *Summary) Link(f explore.Failure, story *Story, choices int, replay string) {
	for i := range s.Failures {
		x := &s.Failures[i]
		if x.Property == f.Property && x.Label == f.Label {
			x.Why, x.Story, x.Choices, x.Replay = story.Why, story.Strings(), choices, replay
		}
	}
}

// WriteJSON writes the summary as one object.
func (s *Summary) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(s)
}

// WriteText writes what held, what did not, and what it took.
func (s *Summary) WriteText(w io.Writer, o Terminal) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s on %s\n\n", o.bold(s.Scenario), s.subject())
	width := 0
	for _, name := range s.Claims {
		width = max(width, len(name))
	}
	for _, name := range s.Claims {
		p := s.Properties[name]
		verdict := pad(p.Verdict, len("violated"), false)
		switch p.Verdict {
		case model.Violated.String():
			verdict = o.Bad(verdict)
		case model.Holds.String():
			verdict = o.Good(verdict)
		}
		fmt.Fprintf(b, "  %s  %s  put to the test %d times", pad(name, width, false), verdict, p.Exercised)
		if p.Violations > 0 {
			fmt.Fprintf(b, ", violated in %d schedules", p.Violations)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	writeMetrics(b, o, s.Metrics)
	b.WriteString(wrap(s.effort(), o.width(), 0) + "\n")
	if len(s.Assume) > 0 {
		b.WriteString(o.faint(wrap(sayAssumed(s.Assume), o.width(), 0)) + "\n")
	}
	return b.Flush()
}

func (s *Summary) subject() string {
	text := "etcd " + s.Etcd
	if s.Client != "" {
		text += ", client " + s.Client
	}
	text += ", cache design " + s.Cache
	if len(s.Bugs) > 0 {
		text += ", with " + strings.Join(s.Bugs, " and ")
	}
	return text
}

func (s *Summary) effort() string {
	rate := float64(s.Choices) / max(s.Seconds, 1e-9) / 1e6
	text := fmt.Sprintf("%d schedules (seeds %d to %d, strategy %s), %d choices in %.2f s, %.1f million a second; %d seeds repeated, all alike. Campaign hash %s.",
		s.Schedules, s.FirstSeed, s.FirstSeed+max(s.Schedules, 1)-1, s.Strategy, s.Choices, s.Seconds, rate, s.Rechecked, s.CampaignHash)
	if s.Truncated > 0 {
		text += fmt.Sprintf(" %d runs were cut off before they ended: what held in them is undecided.", s.Truncated)
	}
	if s.Interrupted {
		text += " Interrupted: these are the schedules until then."
	}
	return text
}
