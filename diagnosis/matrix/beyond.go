package matrix

import (
	"context"
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Beyond is a scenario that is known to be violated with designs to which the matrix
// says "yes". It says little of one design: the reference is violated as well, a second
// version of etcd takes part, or an event is lost.
type Beyond struct {
	Scenario   string   `json:"scenario"`
	Properties []string `json:"properties"`
	// Designs and Versions are those of the matrix with which it is violated.
	Designs  []string `json:"designs"`
	Versions []string `json:"etcd"`
	Because  []string `json:"because"`
	// Command shows it with the first of the designs and the last of the versions.
	Command string `json:"command"`
}

// beyond lists what is known beside the verdicts of these cells, scenario by scenario. An
// interrupt ends it early.
func (cfg *Config) beyond(ctx context.Context, cells []*Cell) ([]Beyond, error) {
	all := []Beyond{}
	for _, sc := range testbed.Scenarios() {
		if slices.Contains(basis(), sc.Name) {
			continue
		}
		b := Beyond{Scenario: sc.Name}
		for _, cell := range cells {
			if ctx.Err() != nil {
				return all, errInterrupted
			}
			b.add(cfg, sc, cell)
		}
		if len(b.Properties) > 0 {
			b.Command = cfg.command(b.Versions[len(b.Versions)-1], b.Designs[0], sc.Name)
			all = append(all, b)
		}
	}
	return all, nil
}

func (b *Beyond) add(cfg *Config, sc *testbed.Scenario, cell *Cell) {
	for _, version := range cell.Versions() {
		p, err := cfg.params(sc, version, cell.Design)
		if err != nil {
			continue
		}
		for _, v := range known.Expected(sc, &p) {
			if cell.question(isLive(v.Property.Name)).Verdict != model.Holds.String() {
				continue
			}
			b.Properties, b.Because = with(b.Properties, v.Property.Name), with(b.Because, v.Because...)
			b.Designs, b.Versions = with(b.Designs, cell.Design), with(b.Versions, version)
		}
	}
}

// with adds what is not there yet.
func with(list []string, more ...string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
