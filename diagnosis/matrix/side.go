package matrix

import (
	"fmt"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// OwnOptions are those that no setting of a matrix may change.
var OwnOptions = []string{"etcd", "cache", "steps"}

// Side is what is changed in the parameters of every scenario: a cell of the matrix, or what is compared. What is empty stays as
// the scenario has it.
type Side struct {
	Design   string   `json:"cache,omitempty"`
	Etcd     string   `json:"etcd,omitempty"`
	Settings []string `json:"settings,omitempty"`
}

// side joins what a matrix sets everywhere with what a version and a design have. The
// error names an option that two of them set differently.
func (cfg *Config) side(version, design string) (s Side, err error) {
	of, err := readVariant(version, OwnOptions)
	if err != nil {
		return s, err
	}
	with, err := readVariant(design, OwnOptions)
	if err != nil {
		return s, err
	}
	settings, err := JoinVariant(design+" on "+version, cfg.Params, of.Settings, with.Settings)
	s = Side{Design: with.Name, Etcd: of.Name}
	for _, set := range settings {
		s.Settings = append(s.Settings, set.String())
	}
	return s, err
}

// Apply changes the parameters of a scenario. Each call changes a copy of its own.
func (s *Side) Apply(p *testbed.Params) error {
	for _, text := range s.Settings {
		set, err := option.ParseSetting(text)
		if err != nil {
			return err
		}
		if err := p.Set(set.Name, set.Value); err != nil {
			return err
		}
	}
	if s.Etcd != "" {
		if err := p.Set("etcd", s.Etcd); err != nil {
			return err
		}
	}
	if s.Design != "" {
		return p.Set("cache", s.Design)
	}
	return nil
}

// command is the command line that runs a scenario with a side.
func (s *Side) command(program, scenario string) string {
	text := program + " run " + scenario
	if s.Etcd != "" {
		text += " --etcd " + s.Etcd
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
