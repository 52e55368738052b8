// Package recorded puts the scenario of a recording together as it was
// recorded, writes down the parameters of a new one, and replays it to see what its
// nodes hold after each step.
package recorded

import (
	"fmt"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Params are the parameters of a recording. The error, one line, names what the
// recording says that this version does not know.
func Params(sc *testbed.Scenario, rec *recording.Recording) (testbed.Params, error) {
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

// System puts the scenario of a recording together as it was recorded.
func System(sc *testbed.Scenario, rec *recording.Recording) (*testbed.System, error) {
	p, err := Params(sc, rec)
	if err != nil {
		return nil, err
	}
	s, err := sc.New(p)
	if err != nil {
		return nil, fmt.Errorf("recorded parameters: %w", err)
	}
	return s, nil
}

// Parameters lists all parameters by name, as a recording keeps them.
func Parameters(p *testbed.Params) []recording.Parameter {
	var list []recording.Parameter
	for _, x := range p.Expand() {
		list = append(list, recording.Parameter{Name: x.Name, Value: x.Value})
	}
	return list
}
