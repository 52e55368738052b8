package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Side is what is changed in the parameters of every scenario. What is empty stays as the scenario has it.
type Side struct {
	Design   string   `json:"cache,omitempty"`
	Etcd     string   `json:"etcd,omitempty"`
	Settings []string `json:"settings,omitempty"`
}

// SideOf is what these lists set, each option once. The error names an option that two of them set differently; label
// is what it is about.
func SideOf(label string, lists ...[]option.Setting) (s Side, err error) {
	var all []option.Setting
	for _, set := range slices.Concat(lists...) {
		if was, given := option.ValueIn(all, set.Name); given {
			if was != set.Value {
				return s, fmt.Errorf("%s: %s=%s and %s; give one of them", label, set.Name, was, set)
			}
			continue
		}
		all = append(all, set)
		switch set.Name {
		case "etcd":
			s.Etcd = set.Value
		case "cache":
			s.Design = set.Value
		default:
			s.Settings = append(s.Settings, set.String())
		}
	}
	return s, nil
}

// List is what SideOf has joined.
func (s *Side) List() []option.Setting {
	all := option.Settings(s.Settings...)
	if s.Etcd != "" {
		all = append(all, option.Setting{Name: "etcd", Value: s.Etcd})
	}
	if s.Design != "" {
		all = append(all, option.Setting{Name: "cache", Value: s.Design})
	}
	return all
}

// Apply changes the parameters of a scenario. Each call changes a copy of its own.
func (s *Side) Apply(p *testbed.Params) error {
	for _, set := range s.List() {
		if err := p.Set(set.Name, set.Value); err != nil {
			return err
		}
	}
	return nil
}

// command is the command line that runs a scenario with a side.
func (s *Side) command(program, scenario string) string {
	text := program + " run " + scenario
	if s.Etcd != "" {
		text += " --etcd " + recording.ShellWord(s.Etcd)
	}
	if s.Design != "" {
		text += " --cache " + s.Design
	}
	for _, set := range s.Settings {
		text += " --set " + set
	}
	return text
}

// withSeeds is a command line with a strategy and seeds.
func withSeeds(command, with string, first, last uint64) string {
	if with != strategy.Default().Name {
		command += " --strategy " + with
	}
	return fmt.Sprintf("%s --seeds %d..%d", command, first, last)
}

// VariantOf is what a label sets: a design of the cache or a release of etcd, which preset says, and what stands behind
// it, as in kep-2340+progress-period=50ms+ring=10. A name may have a "+" of its own: etcd@v3.6.16+FILE.patch+notify=1s
// sets one option. The error is one line.
func VariantOf(preset, label string) ([]option.Setting, error) {
	all, err := readVariant(preset, label)
	if err != nil {
		return nil, err
	}
	var p testbed.Params
	for _, set := range all {
		err := p.Set(set.Name, set.Value)
		if name, text, more := strings.Cut(set.Value, "+"); err != nil && more && p.Set(preset, name) == nil {
			err = fmt.Errorf("%q: want NAME=VALUE", text)
		}
		switch {
		case err != nil && label == set.Value && !strings.Contains(label, "+"):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("%s: %w", label, err)
		}
	}
	return all, nil
}

// readVariant reads a label. What the name stands for is not looked up.
func readVariant(preset, label string) ([]option.Setting, error) {
	parts := strings.Split(label, "+")
	settings := 1
	for settings < len(parts) && !strings.Contains(parts[settings], "=") {
		settings++
	}
	all := []option.Setting{{Name: preset, Value: strings.Join(parts[:settings], "+")}}
	for _, text := range parts[settings:] {
		set, err := option.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		if _, twice := option.ValueIn(all, set.Name); twice {
			return nil, fmt.Errorf("%s: %s is there twice", label, set.Name)
		}
		all = append(all, set)
	}
	return all, nil
}

// Column is what scenarios came to with one side.
type Column struct {
	Name string `json:"name"`
	Side Side   `json:"side"`
	Runs []*Run `json:"scenarios"`
	// Masked are the options of etcd whose race is masked in these scenarios: that they hold says nothing of etcd with
	// it.
	Masked []string `json:"masked,omitempty"`
	// Interrupted: the last scenarios are missing.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Run is the campaign of one scenario.
type Run struct {
	Scenario string `json:"scenario"`
	// CannotRun says why there was no campaign; empty if there was one.
	CannotRun    string       `json:"cannotRun,omitempty"`
	Strategy     string       `json:"strategy,omitempty"`
	FirstSeed    uint64       `json:"firstSeed"`
	Schedules    uint64       `json:"schedules"`
	CampaignHash explore.Hash `json:"campaignHash"`
	// NeverReady is how many schedules ended with a cache that was not ready again after the faults.
	NeverReady uint64 `json:"neverReady,omitempty"`
	// Claims that are violated come first, those that say most about the cause before the others.
	Claims []*Claim `json:"claims,omitempty"`
	Cost   *Cost    `json:"cost,omitempty"`
	// Command runs all of it again.
	Command string `json:"command,omitempty"`
}

// Claim is one property over all schedules of a campaign.
type Claim struct {
	Property   string        `json:"property"`
	Verdict    model.Verdict `json:"verdict"`
	Exercised  uint64        `json:"exercised,omitempty"`
	Violations uint64        `json:"violations"`
	// Schedules are more than those of the campaign if it was looked for longer.
	Schedules uint64 `json:"schedules"`
	// Known: it is known to be violated with this side, with the reasons; Rarely: a
	// campaign may miss it.
	Known   bool     `json:"known,omitempty"`
	Rarely  bool     `json:"rarely,omitempty"`
	Because []string `json:"because,omitempty"`
	Ways    []Way    `json:"ways,omitempty"`
}

// Way is one way to violate a property: a label that all its stories share.
type Way struct {
	Label string `json:"label"`
	// Seed is the first one that shows it, Schedules how many did.
	Seed      uint64 `json:"seed"`
	Schedules uint64 `json:"schedules"`
	// Command shows the first again.
	Command string `json:"command,omitempty"`
	// Why is the sentence with which the story of that seed ends.
	Why string `json:"why,omitempty"`
	// Stories is how many of its first runs were told, Happenings what happens in them.
	Stories    uint64      `json:"stories,omitempty"`
	Happenings []Happening `json:"happenings,omitempty"`
}

func (c *Claim) violated() bool { return c.Verdict == model.Violated }
func (c *Claim) holds() bool    { return c.Verdict == model.Holds }

// Missing reports whether every campaign is known to violate the claim, and this one did not.
func (c *Claim) Missing() bool { return c.holds() && c.Known && !c.Rarely }

// AsKnown holds a claim to what is known of it: violated if it is and is not known to be, unknown if that cannot be
// said. The text is empty if there is nothing to say.
func (c *Claim) AsKnown() (model.Verdict, string) {
	text := summary.BesideKnown(c.violated(), c.Missing(), strings.Join(c.Because, "; "))
	switch {
	case c.violated() && !c.Known:
		return model.Violated, text
	case c.Missing():
		return model.VerdictUnknown, text
	case !c.violated() && !c.holds():
		return model.VerdictUnknown, c.Verdict.String()
	}
	return model.Holds, text
}

// Command shows the first of the ways again; empty if nothing is violated.
func (c *Claim) Command() string {
	if len(c.Ways) == 0 {
		return ""
	}
	return c.Ways[0].Command
}

// find is the first for which something holds, nil if there is none.
func find[T any](all []*T, holds func(*T) bool) *T {
	if i := slices.IndexFunc(all, func(x *T) bool { return x != nil && holds(x) }); i >= 0 {
		return all[i]
	}
	return nil
}

// run is that of a scenario, nil if there is none.
func (c *Column) run(scenario string) *Run {
	return find(c.Runs, func(r *Run) bool { return r.Scenario == scenario })
}

// claim is that of a property, nil if the scenario did not claim it.
func (r *Run) claim(property string) *Claim {
	return find(r.Claims, func(c *Claim) bool { return c.Property == property })
}

// Failing is the claim whose failure says most about the cause, nil if none is violated.
func (r *Run) Failing() *Claim { return find(r.Claims, func(c *Claim) bool { return len(c.Ways) > 0 }) }

// Again is the command line that shows the failure, or the whole campaign if there is none.
func (r *Run) Again() string {
	if c := r.Failing(); c != nil {
		return c.Command()
	}
	return r.Command
}

// Saved is a column in a file.
type Saved struct {
	// Format is the version of the file format, 1.
	Format int `json:"format"`
	// Tool is the program that ran it.
	Tool string `json:"tool"`
	// Seeds is how many each campaign was to have, from FirstSeed on; 0 if only a time
	// bounded it. Those of cost have a tenth.
	FirstSeed uint64 `json:"firstSeed"`
	Seeds     uint64 `json:"seeds"`
	*Column
}

const (
	formatVersion = 1
	// maxBytes is far more than a column takes.
	maxBytes = 64 << 20
	// maxSchedules is more than any campaign has, and few enough to compute chances with.
	maxSchedules = 1e8
)

// Save writes a column that was run as this says.
func (c *Column) Save(tool string, as Campaigns) *Saved {
	return &Saved{formatVersion, tool, as.FirstSeed, as.Seeds, c}
}

// Read reads a column that was saved. Its commands begin with the name of this program. The error is one line.
func Read(r io.Reader, program string) (*Saved, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxBytes:
		return nil, fmt.Errorf("it is larger than %d MB", maxBytes>>20)
	}
	c := Saved{Column: &Column{}}
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("it is not a saved catalogue: %w", err)
	}
	return &c, c.check(program)
}

func (c *Saved) check(program string) error {
	switch {
	case c.Format < 1:
		return errors.New("it is not a saved catalogue: the field format is missing")
	case c.Format > formatVersion:
		return fmt.Errorf("format %d was written by a later version; this one reads up to %d", c.Format, formatVersion)
	case len(c.Runs) == 0:
		return errors.New("it has no scenarios")
	}
	for _, text := range c.Side.Settings {
		if _, err := option.ParseSetting(text); err != nil {
			return err
		}
	}
	for i, r := range c.Runs {
		if r == nil || r.Scenario == "" || c.run(r.Scenario) != c.Runs[i] {
			return errors.New("a scenario has no name, or is there twice")
		}
		for j, claim := range r.Claims {
			if claim == nil || claim.Property == "" || r.claim(claim.Property) != r.Claims[j] {
				return fmt.Errorf("scenario %q: a property has no name, or is there twice", r.Scenario)
			}
			if err := claim.check(); err != nil {
				return fmt.Errorf("scenario %q: %s: %w", r.Scenario, claim.Property, err)
			}
			for k := range claim.Ways {
				w := &claim.Ways[k]
				w.Command = withSeeds(c.Side.command(program, r.Scenario), r.Strategy, w.Seed, w.Seed)
			}
		}
	}
	return nil
}

func (c *Claim) check() error {
	switch {
	case c.Schedules > maxSchedules:
		return fmt.Errorf("%d schedules are more than any campaign has", c.Schedules)
	case c.Violations > c.Schedules || slices.ContainsFunc(c.Ways, func(w Way) bool { return w.Schedules > c.Schedules }):
		return errors.New("violated in more schedules than there were")
	}
	for _, w := range c.Ways {
		if w.Stories > w.Schedules || slices.ContainsFunc(w.Happenings, func(h Happening) bool { return h.Stories > w.Stories }) {
			return errors.New("more stories than there were schedules, or something in more than were told")
		}
	}
	return nil
}
