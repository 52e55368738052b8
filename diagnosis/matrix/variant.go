package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Variant is what a label stands for: a design of the cache or a release of etcd, and what is set on
// top of it, as in kep-2340+progress-period=50ms+ring=10. A name may have a "+" of its own:
// etcd@v3.6.16+FILE.patch+notify=1s sets one option.
type Variant struct {
	// Name is that of the design or the release.
	Name     string
	Settings []option.Setting
}

// readVariant reads a label. own are the options that nothing may set on top. The error is one
// line. What the name stands for is not looked up: see VariantOf.
func readVariant(label string, own []string) (Variant, error) {
	parts := strings.Split(label, "+")
	settings := 1
	for settings < len(parts) && !strings.Contains(parts[settings], "=") {
		settings++
	}
	v := Variant{Name: strings.Join(parts[:settings], "+")}
	for _, text := range parts[settings:] {
		set, err := option.ParseSetting(text)
		if err != nil {
			return v, fmt.Errorf("%s: %w", label, err)
		}
		if slices.Contains(own, set.Name) {
			return v, fmt.Errorf("%s: %s cannot be set on top of a name", label, set.Name)
		}
		if slices.ContainsFunc(v.Settings, func(s option.Setting) bool { return s.Name == set.Name }) {
			return v, fmt.Errorf("%s: %s is there twice", label, set.Name)
		}
		v.Settings = append(v.Settings, set)
	}
	return v, nil
}

// VariantOf reads a label, and refuses a name and settings that are not there; preset is the
// option that names what stands before the first "+": cache or etcd. The error is one line.
func VariantOf(preset, label string, own []string) (Variant, error) {
	v, err := readVariant(label, own)
	if err != nil {
		return v, err
	}
	var p testbed.Params
	for _, set := range append([]option.Setting{{Name: preset, Value: v.Name}}, v.Settings...) {
		err := p.Set(set.Name, set.Value)
		if name, text, more := strings.Cut(set.Value, "+"); err != nil && more && p.Set(preset, name) == nil {
			err = fmt.Errorf("%q: want NAME=VALUE", text)
		}
		switch {
		case err != nil && label == v.Name && !strings.Contains(label, "+"):
			return v, err
		case err != nil:
			return v, fmt.Errorf("%s: %w", label, err)
		}
	}
	return v, nil
}

// JoinVariant is all that is set by these lists, each option once. The error names an option that
// two of them set differently; label is what it is about.
func JoinVariant(label string, lists ...[]option.Setting) ([]option.Setting, error) {
	var all []option.Setting
	for _, set := range slices.Concat(lists...) {
		i := slices.IndexFunc(all, func(s option.Setting) bool { return s.Name == set.Name })
		switch {
		case i < 0:
			all = append(all, set)
		case all[i] != set:
			return nil, fmt.Errorf("%s: %s and %s; give one of them", label, all[i], set)
		}
	}
	return all, nil
}
