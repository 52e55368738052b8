package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// variant is what a label of a matrix stands for: a design or a version, and what is set
// on top of it, as in kep-2340+progress-period=50ms+ring=10.
type variant struct {
	name     string
	settings []option.Setting
}

// variantOf reads a label. The error is one line.
func variantOf(label string) (variant, error) {
	name, rest, more := strings.Cut(label, "+")
	v := variant{name: name}
	for more {
		var text string
		text, rest, more = strings.Cut(rest, "+")
		set, err := option.ParseSetting(text)
		if err != nil {
			return v, fmt.Errorf("%s: %w", label, err)
		}
		if slices.Contains(OwnOptions, set.Name) {
			return v, fmt.Errorf("%s: a matrix sets %s itself", label, set.Name)
		}
		if slices.ContainsFunc(v.settings, func(s option.Setting) bool { return s.Name == set.Name }) {
			return v, fmt.Errorf("%s: %s is there twice", label, set.Name)
		}
		v.settings = append(v.settings, set)
	}
	return v, nil
}

// OwnOptions are those that no setting of a matrix may change.
var OwnOptions = []string{"etcd", "cache", "steps"}

// CheckLabel reports what is wrong with a design or a version of a matrix, in one line;
// preset is the option that names it: cache or etcd.
func CheckLabel(preset, label string) error {
	v, err := variantOf(label)
	if err != nil {
		return err
	}
	var p testbed.Params
	for _, set := range append([]option.Setting{{Name: preset, Value: v.name}}, v.settings...) {
		if err := p.Set(set.Name, set.Value); err != nil {
			if len(v.settings) == 0 {
				return err
			}
			return fmt.Errorf("%s: %w", label, err)
		}
	}
	return nil
}

// pair is a cell: a design on a version, with all that is set for it.
type pair struct {
	design, version string
	settings        []option.Setting
}

// pairOf joins what a matrix sets everywhere with what a version and a design have. The
// error names an option that two of them set differently.
func (cfg *Config) pairOf(version, design string) (pair, error) {
	of, err := variantOf(version)
	if err != nil {
		return pair{}, err
	}
	with, err := variantOf(design)
	if err != nil {
		return pair{}, err
	}
	all := pair{design: with.name, version: of.name}
	for _, set := range slices.Concat(cfg.Params, of.settings, with.settings) {
		i := slices.IndexFunc(all.settings, func(s option.Setting) bool { return s.Name == set.Name })
		switch {
		case i < 0:
			all.settings = append(all.settings, set)
		case all.settings[i] != set:
			return pair{}, fmt.Errorf("%s on %s: %s and %s; give one of them", design, version, all.settings[i], set)
		}
	}
	return all, nil
}
