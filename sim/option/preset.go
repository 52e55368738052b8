package option

import (
	"fmt"
	"strings"
)

// Setting is an option by name with a value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// String is NAME=VALUE.
func (s Setting) String() string { return s.Name + "=" + s.Value }

// ValueIn is the value that settings give an option; the last one counts.
func ValueIn(all []Setting, name string) (value string, given bool) {
	for _, s := range all {
		if s.Name == name {
			value, given = s.Value, true
		}
	}
	return value, given
}

// ParseSetting reads NAME=VALUE.
func ParseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return Setting{}, fmt.Errorf("%q: want NAME=VALUE", text)
	}
	return Setting{name, value}, nil
}

// Settings reads settings that are written in the source code, each NAME=VALUE;
// it panics on a mistake.
func Settings(texts ...string) []Setting {
	all := make([]Setting, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = ParseSetting(text); err != nil {
			panic("option: " + err.Error())
		}
	}
	return all
}

// Neighbour is other code of a node that comes from outside: what can be put in its place, to see whether that decides.
type Neighbour struct {
	Name string
	// Without is what the neighbour lacks and is the same otherwise, such as "the patch mine"; empty if it is another
	// release.
	Without string
}

// Preset is a list of settings with a name: a version of etcd, a design of the
// cache, a known bug.
type Preset struct {
	Name string
	// Doc is one sentence.
	Doc      string
	Settings []Setting
}

// Apply sets all options of a preset.
func (g Group[C]) Apply(c *C, p *Preset) error {
	for _, s := range p.Settings {
		if err := g.Set(c, s.Name, s.Value); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// ApplyAll applies presets that must not contradict each other. The error names
// two that set one option to different values.
func (g Group[C]) ApplyAll(c *C, presets ...*Preset) error {
	setBy := map[string]*Preset{}
	valueOf := map[string]string{}
	for _, p := range presets {
		for _, s := range p.Settings {
			if other := setBy[s.Name]; other != nil && valueOf[s.Name] != s.Value {
				return fmt.Errorf("%q and %q both set %s; give one of them", other.Name, p.Name, s.Name)
			}
			setBy[s.Name], valueOf[s.Name] = p, s.Value
		}
		if err := g.Apply(c, p); err != nil {
			return err
		}
	}
	return nil
}

// Range is an option with the values from which a setting of it is drawn.
type Range struct {
	Name   string
	Values []string
}

// Ranges reads ranges that are written in the source code, each NAME=VALUE|VALUE, with spaces between
// them; it panics on a mistake.
func Ranges(text string) []Range {
	var all []Range
	for _, s := range Settings(strings.Fields(text)...) {
		all = append(all, Range{s.Name, strings.Split(s.Value, "|")})
	}
	return all
}
