// Package summary (unstable) says what a campaign came to: what held, what did
// not, what was never exercised, and what it took.
package summary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Summary is what a campaign came to: the object that "simrun run --json"
// prints.
type Summary struct {
	Scenario string   `json:"scenario"`
	Etcd     string   `json:"etcd"`
	Client   string   `json:"client,omitempty"`
	Cache    string   `json:"cache"`
	Bugs     []string `json:"bugs,omitempty"`
	// Masked is what masks a race that every release of etcd has, Settings what is set on
	// top of version and design.
	Masked   []string `json:"masked,omitempty"`
	Settings []string `json:"settings,omitempty"`
	// Differs is what is otherwise than in the scenario: how many nodes there are, what clients do and what may break.
	Differs []string `json:"differs,omitempty"`
	// Draws is the range of draws that the schedules are spread over, "0..99"; empty if
	// nothing is drawn.
	Draws     string `json:"draws,omitempty"`
	Strategy  string `json:"strategy"`
	FirstSeed uint64 `json:"firstSeed"`
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
	// Rechecked is the number of seeds that were run again and gave the same.
	Rechecked uint64 `json:"rechecked"`
	Truncated uint64 `json:"truncated"`
	// NeverReady is how many timed runs ended with a cache that was not ready again after the faults: what must come
	// in time was not judged there.
	NeverReady uint64 `json:"neverReady,omitempty"`
	// NeverAtRest is how many untimed runs ended while something could still happen: what is promised of rest was not
	// judged there.
	NeverAtRest uint64 `json:"neverAtRest,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	Verdict     string `json:"verdict"`
	// Properties by name; Claims has them in order.
	Properties map[string]Property `json:"properties"`
	Claims     []string            `json:"claims"`
	Failures   []Failure           `json:"failures"`
	// Known is what is known to be violated, Expected are the properties among these
	// that a campaign must not miss. Missing and Unexpected are the differences.
	Known      []Known  `json:"known,omitempty"`
	Expected   []string `json:"expected"`
	Missing    []string `json:"missing,omitempty"`
	Unexpected []string `json:"unexpected,omitempty"`
	// CoveragePoints are counts of what came about, by name.
	CoveragePoints map[string]uint64 `json:"coveragePoints"`
	// Metrics are what timed runs measured, in the order of registration. They
	// depend on the strategy: only random draws every delay evenly.
	Metrics []Metric `json:"metrics,omitempty"`
}

// Property is one claim over all runs.
type Property struct {
	Verdict    string `json:"verdict"`
	Exercised  uint64 `json:"exercised"`
	Violations uint64 `json:"violations"`
	// Porcupine is how many histories porcupine judged, Witness how many the witness alone; none if the property is of
	// something else.
	Porcupine uint64 `json:"porcupine,omitempty"`
	Witness   uint64 `json:"witness,omitempty"`
}

// Failure is one way to fail. Choices is the length of the run in the replay
// file.
type Failure struct {
	Property string   `json:"property"`
	Label    string   `json:"label"`
	Why      string   `json:"why,omitempty"`
	Story    []string `json:"story,omitempty"`
	// Draw is the one that showed it first, nil if nothing is drawn.
	Draw      *uint64 `json:"draw,omitempty"`
	Seed      uint64  `json:"seed"`
	Schedules uint64  `json:"schedules"`
	Choices   int     `json:"choices,omitempty"`
	Replay    string  `json:"replay,omitempty"`
}

// FirstOf are the flags with which a campaign shows a failure again; empty if it is none
// of this one.
func (s *Summary) FirstOf(f explore.Failure) string {
	for i := range s.Failures {
		x := &s.Failures[i]
		switch {
		case x.Property != f.Property || x.Label != f.Label:
		case x.Draw != nil:
			return fmt.Sprintf("--draw %d --seeds %d..%d", *x.Draw, x.Seed, x.Seed)
		default:
			return fmt.Sprintf("--seeds %d..%d", x.Seed, x.Seed)
		}
	}
	return ""
}

// Of says what a campaign came to. Stories and replay files are left to Link.
func Of(sc *testbed.Scenario, p *testbed.Params, c *campaign.Result) *Summary {
	var differs []string
	for _, set := range p.Differences(&sc.Params) {
		differs = append(differs, set.String())
	}
	s := &Summary{
		Scenario: sc.Name, Etcd: p.EtcdName(), Client: p.Client, Cache: p.Cache, Bugs: p.Bugs, Masked: story.Masked(p), Settings: story.Settings(p), Differs: differs,
		Strategy: c.Strategy, FirstSeed: c.FirstSeed, Seeds: c.Schedules, Schedules: c.Schedules,
		Choices: c.Stats.Choices, Messages: c.Stats.Messages, Seconds: c.Elapsed.Seconds(), CPUSeconds: c.CPU.Seconds(),
		CampaignHash: c.Hash, Rechecked: c.Rechecked, Truncated: c.Truncated, NeverReady: c.NeverReady, NeverAtRest: c.NeverAtRest, Interrupted: c.Interrupted,
		Verdict: c.Verdict().String(), Properties: map[string]Property{}, Failures: []Failure{},
		Known: KnownOf(sc, p), Expected: append([]string{}, known.Names(known.Expected(sc, p))...), CoveragePoints: map[string]uint64{},
	}
	var violated []string
	for _, t := range c.Properties {
		s.Claims = append(s.Claims, t.Name)
		s.Properties[t.Name] = Property{t.Verdict.String(), t.Exercised, t.Violations, t.Porcupine, t.Witness}
		s.Violations += t.Violations
		if t.Verdict == model.Violated {
			violated = append(violated, t.Name)
		}
	}
	o := known.OutcomeOf(sc, p, violated)
	s.Missing, s.Unexpected = known.Names(o.Missing), o.Unexpected
	for _, f := range c.Failures {
		s.Failures = append(s.Failures, Failure{Property: f.Failure.Property, Label: f.Failure.Label, Seed: f.FirstSeed, Schedules: f.Schedules})
	}
	for _, t := range c.CoveragePoints {
		if t.Times > 0 {
			s.CoveragePoints[t.CoveragePoint.String()] = t.Times
		}
	}
	s.Metrics = MetricsOf(c.Metrics)
	return s
}

// Told reports whether a way to fail has its story.
func (s *Summary) Told() bool {
	return slices.ContainsFunc(s.Failures, func(f Failure) bool { return len(f.Story) > 0 })
}

// Link adds to a way to fail what is told of it: why it is a violation, the
// lines of its story, the length of the run in the replay file, and where that
// file is.
func (s *Summary) Link(f explore.Failure, why string, lines []string, choices int, replay string) {
	for i := range s.Failures {
		x := &s.Failures[i]
		if x.Property == f.Property && x.Label == f.Label {
			x.Why, x.Story, x.Choices, x.Replay = why, lines, choices, replay
		}
	}
}

// Amount writes a value in a unit of Metric for people: three digits are enough.
func Amount(v float64, unit string) string {
	switch unit {
	case "s":
		return Seconds(v)
	case "bytes":
		return Bytes(v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Seconds writes a duration for people.
func Seconds(v float64) string {
	d := time.Duration(v * 1e9)
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return digits(v*1e6) + " µs"
	case d < time.Second:
		return digits(v*1e3) + " ms"
	}
	return digits(v) + " s"
}

// Bytes writes a size for people, in powers of 1000.
func Bytes(v float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for v >= 1000 && i < len(units)-1 {
		v /= 1000
		i++
	}
	return digits(v) + " " + units[i]
}

// digits writes three significant digits, without zeros at the end.
func digits(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return trimmed(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return trimmed(strconv.FormatFloat(v, 'f', 2, 64))
}

func trimmed(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// PlainestFirst puts the failures first that are not known, and among these and among those that are known the ones
// that say most about the cause: the property with which a planted bug is listed, then what clients are answered, data
// that is missing before a revision that is too old; then what informers hold, what watches are sent, and last what a
// cache holds inside.
func PlainestFirst(known []Known, p *testbed.Params, list []campaign.FailureTally) []campaign.FailureTally {
	const listed, unknown = 1_000, 10_000 // above all weights
	weight := func(t campaign.FailureTally) (n int) {
		if found, err := testbed.FindProperty(t.Failure.Property); err == nil {
			n = found.Weight
		}
		if slices.ContainsFunc(p.Planted(), func(b *testbed.KnownBug) bool { return b.Property.Name == t.Failure.Property }) {
			n += listed
		}
		if Reasons(known, t.Failure.Property) == "" {
			n += unknown
		}
		return n
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b campaign.FailureTally) int { return weight(b) - weight(a) })
	return sorted
}

// Metric is one metric over all runs of a campaign in timed mode. Durations are
// virtual and in seconds, as the names of the metrics say.
type Metric struct {
	Name string `json:"name"`
	// Unit is "s", "bytes" or empty for what is counted.
	Unit string `json:"unit,omitempty"`
	// Count is how many values there were, Total their sum. A counter has no
	// distribution.
	Count uint64        `json:"count,omitempty"`
	Total float64       `json:"total"`
	Of    *Distribution `json:"distribution,omitempty"`
	Help  string        `json:"help"`
}

// Distribution is where the values of a metric lie. P50 and P99 are off by at
// most 1/64, the others are exact.
type Distribution struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// MetricsOf lists what was recorded. A metric without a value is left out.
func MetricsOf(tallies []campaign.MetricTally) []Metric {
	var list []Metric
	for i := range tallies {
		t := &tallies[i]
		if t.Count() == 0 {
			continue
		}
		m := Metric{Name: t.Metric.String(), Unit: unitOf(t.Metric), Help: t.Metric.Help(), Total: inUnit(t.Metric, float64(t.Sum()))}
		if !t.Metric.IsCounter() {
			m.Count = t.Count()
			value := func(v int64) float64 { return inUnit(t.Metric, float64(v)) }
			m.Of = &Distribution{
				Min: value(t.Min()), Mean: inUnit(t.Metric, t.Mean()), Max: value(t.Max()),
				P50: value(t.Quantile(0.5)), P99: value(t.Quantile(0.99)),
			}
		}
		list = append(list, m)
	}
	return list
}

func unitOf(m metric.Metric) string {
	if m.Unit() == metric.Nanoseconds {
		return "s"
	}
	return m.Unit().String()
}

func inUnit(m metric.Metric, v float64) float64 {
	if m.Unit() == metric.Nanoseconds {
		return v / 1e9
	}
	return v
}
