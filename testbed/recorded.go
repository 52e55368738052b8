package testbed

import (
	"fmt"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"
)

// RecordedParams are the parameters of a recording of the scenario. The error, one line, names what the
// recording says that this version does not know.
func (sc *Scenario) RecordedParams(rec *recording.Recording) (Params, error) {
	p := sc.Params
	var list []option.Setting
	given := map[string]bool{}
	for _, parameter := range rec.Parameters {
		if given[parameter.Name] {
			return p, fmt.Errorf("recorded parameters: %s is there twice", parameter.Name)
		}
		given[parameter.Name] = true
		list = append(list, option.Setting(parameter))
	}
	if err := p.Restore(list); err != nil {
		return p, fmt.Errorf("recorded parameters: %w", err)
	}
	return p, nil
}

// Recorded puts the scenario together as it was recorded.
func (sc *Scenario) Recorded(rec *recording.Recording) (*System, error) {
	p, err := sc.RecordedParams(rec)
	if err != nil {
		return nil, err
	}
	s, err := sc.New(p)
	if err != nil {
		return nil, fmt.Errorf("recorded parameters: %w", err)
	}
	return s, nil
}

// Recorded lists all parameters by name, as a recording keeps them.
func (p *Params) Recorded() []recording.Parameter {
	var list []recording.Parameter
	for _, x := range p.Expand() {
		list = append(list, recording.Parameter{Name: x.Name, Value: x.Value})
	}
	return list
}
