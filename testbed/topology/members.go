package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
)

// memberSetting is an option that only the members of one version have:
// VERSION:NAME=VALUE.
type memberSetting struct {
	version string
	option.Setting
}

func parseMemberSetting(text string) (memberSetting, error) {
	version, assignment, hasVersion := strings.Cut(text, ":")
	name, value, hasValue := strings.Cut(assignment, "=")
	if !hasVersion || !hasValue {
		return memberSetting{}, fmt.Errorf("%q: want VERSION:NAME=VALUE, such as 3.5.7:progress=dropped", text)
	}
	if _, err := etcd.Release(version); err != nil {
		return memberSetting{}, err
	}
	return memberSetting{version, option.Setting{Name: name, Value: value}}, nil
}

func checkMemberSettings(list []string) error {
	for _, text := range list {
		m, err := parseMemberSetting(text)
		if err != nil {
			return err
		}
		if err := etcd.Group.Set(&etcd.Options{}, m.Name, m.Value); err != nil {
			return err
		}
	}
	return nil
}

// SetMember sets the options that only members of this version have.
func (o *Options) SetMember(version string, options *etcd.Options) error {
	for _, text := range o.MemberSettings {
		m, err := parseMemberSetting(text)
		if err != nil {
			return err
		}
		if m.version != version {
			continue
		}
		if err := etcd.Group.Set(options, m.Name, m.Value); err != nil {
			return err
		}
	}
	return nil
}

// WithMember is the topology with one option of etcd set for the members of one
// version.
func (o *Options) WithMember(version string, s option.Setting) (Options, error) {
	with := *o
	text := version + ":" + s.String()
	with.MemberSettings = append(slices.Clone(o.MemberSettings), text)
	return with, checkMemberSettings([]string{text})
}
