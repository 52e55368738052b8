package testbed

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim/option"
)

// Race is a race that every release of etcd has and that the test bed masks: an
// option of etcd gets a value that no release has. Otherwise every scenario of a
// cache would be violated once in some thousand schedules, whatever it is about. A
// scenario that is about the race unmasks it (Params.Unmask).
type Race struct {
	// Option and Value are what masks the race.
	Option, Value string
	// What happens where it is not masked.
	What string
	// Scenario shows it.
	Scenario string
	// Reason is why it is masked elsewhere.
	Reason string
}

// String is the option with its value.
func (r *Race) String() string { return r.Option + "=" + r.Value }

var races = []Race{
	{
		Option: "created", Value: "in-order",
		What: "Created of a new watch can be sent before older progress", Scenario: "rewatch",
		Reason: "it takes two rare races, and then breaks what every cache with progress requests promises",
	},
}

// Races lists what is masked unless a scenario says otherwise.
func Races() []Race { return slices.Clone(races) }

// Masked are the races that are masked with these parameters: a bug or a setting
// of the same option takes the place of a mask.
func (p *Params) Masked() []Race {
	n, err := p.Nodes()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(Races(), func(r Race) bool {
		return slices.Contains(p.Unmask, r.Option) || n.Value(r.Option) != r.Value
	})
}

// masks are the settings that mask what is not unmasked.
func (p *Params) masks() []option.Setting {
	var all []option.Setting
	for _, r := range races {
		if !slices.Contains(p.Unmask, r.Option) {
			all = append(all, option.Setting{Name: r.Option, Value: r.Value})
		}
	}
	return all
}

// AsReleased are the parameters without bugs, settings and masks: what is left are
// the versions and the design.
func (p *Params) AsReleased() Params {
	released := *p
	released.Bugs, released.Settings, released.Unmask = nil, nil, nil
	released.Topology.MemberSettings, released.Topology.ServerSettings = nil, nil
	for _, r := range races {
		released.Unmask = append(released.Unmask, r.Option)
	}
	return released
}

func checkUnmask(names []string) error {
	var known []string
	for _, r := range races {
		known = append(known, r.Option)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("unmask=%s: no race of this name is masked%s", n, registry.Suggest(n, known))
		}
	}
	return nil
}
