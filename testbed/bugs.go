package testbed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/spelling"
	"github.com/watchbed/watchbed/sim/option"
)

// FindBug returns a known bug by its name. The error names the nearest one.
func FindBug(name string) (*KnownBug, error) {
	if b, err := knownBugs.Find(name); err == nil {
		return b, nil
	}
	if strings.Contains(name, "=") {
		return nil, fmt.Errorf("unknown bug %q; --set takes NAME=VALUE", name)
	}
	var names []string
	for _, b := range KnownBugs() {
		names = append(names, b.Name)
	}
	return nil, fmt.Errorf("unknown bug %q%s", name, spelling.Suggest(name, names))
}

// Plants reports whether the parameters ask for a bug, by its name or by a setting, also
// of one API server.
func (p *Params) Plants(b *KnownBug) bool {
	return slices.Contains(p.Bugs, b.Name) || slices.Contains(p.Settings, b.Planting()) ||
		slices.ContainsFunc(p.Topology.ServerNames(), func(server string) bool {
			return slices.Contains(p.Topology.SettingsOf(server), b.Planting())
		})
}

// Planted are the known bugs that the parameters ask for, by name or by setting.
func (p *Params) Planted() []*KnownBug {
	return slices.DeleteFunc(KnownBugs(), func(b *KnownBug) bool { return !p.Plants(b) })
}

func presetsOf(bugs []string) ([]*option.Preset, error) {
	var all []*option.Preset
	for _, name := range bugs {
		b, err := FindBug(name)
		if err != nil {
			return nil, err
		}
		all = append(all, b.Preset())
	}
	return all, nil
}

func checkBugs(names []string) error {
	_, err := presetsOf(names)
	return err
}
