package compare

import (
	"strings"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Side is what is changed in the parameters of every scenario. What is empty stays as the
// scenario has it.
type Side struct {
	Design   string   `json:"cache,omitempty"`
	Etcd     string   `json:"etcd,omitempty"`
	Settings []string `json:"settings,omitempty"`
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

// Flags are those of simrun run for this side.
func (s *Side) Flags() string {
	var b strings.Builder
	if s.Etcd != "" {
		b.WriteString(" --etcd " + s.Etcd)
	}
	if s.Design != "" {
		b.WriteString(" --cache " + s.Design)
	}
	for _, set := range s.Settings {
		b.WriteString(" --set " + set)
	}
	return b.String()
}
