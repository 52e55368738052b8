package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/option"
)

// ServerOptions are the options of one API server: its client library, its caches and
// what compacts etcd.
type ServerOptions struct {
	Client    client.Options
	Cache     cache.Options
	Compactor compactor.Options
	Compacts  compactor.Deviations
}

// ServerGroup is all options of an API server.
var ServerGroup = option.Join(
	option.Lift(client.Group, func(o *ServerOptions) *client.Options { return &o.Client }),
	option.Lift(cache.Group, func(o *ServerOptions) *cache.Options { return &o.Cache }),
	option.Lift(compactor.Group, func(o *ServerOptions) *compactor.Options { return &o.Compactor }),
	option.Lift(compactor.Choices, func(o *ServerOptions) *compactor.Deviations { return &o.Compacts }))

// The presets of an API server have the names of the parameters that set them for all
// servers: the design of its caches, and the version of its client library.
const (
	DesignOfServer = "cache"
	ClientOfServer = "client"
)

// CheckServerSetting reports what is wrong with an option of an API server, or with its
// value.
func CheckServerSetting(s option.Setting) error {
	switch s.Name {
	case DesignOfServer:
		_, err := cache.FindDesign(s.Value)
		return err
	case ClientOfServer:
		_, err := client.OptionsOf(s.Value)
		return err
	}
	names := []string{DesignOfServer, ClientOfServer}
	for i := range ServerGroup {
		names = append(names, ServerGroup[i].Name)
	}
	if !slices.Contains(names, s.Name) {
		return fmt.Errorf("an API server has no option %q%s", s.Name, registry.Suggest(s.Name, names))
	}
	return ServerGroup.Set(&ServerOptions{}, s.Name, s.Value)
}

// ServerNames are those of the API servers, in order: "cache", or "cache-1", "cache-2".
func (o *Options) ServerNames() []string {
	names := make([]string, o.Servers)
	for i := range names {
		names[i] = ServerName(i, o.Servers)
	}
	return names
}

// ServerName names an API server, also for its faults.
func ServerName(i, servers int) string { return Numbered("cache", i, servers) }

// serverSetting is an option that one API server has: SERVER:NAME=VALUE.
type serverSetting struct {
	server string
	option.Setting
}

func (s serverSetting) String() string { return s.server + ":" + s.Setting.String() }

func parseServerSetting(text string) (serverSetting, error) {
	server, assignment, found := strings.Cut(text, ":")
	s, err := option.ParseSetting(assignment)
	if !found || server == "" || err != nil {
		return serverSetting{}, fmt.Errorf("%q: want SERVER:NAME=VALUE, such as cache-2:ring=3 or cache-2:cache=kep-4988", text)
	}
	if err := CheckServerSetting(s); err != nil {
		return serverSetting{}, fmt.Errorf("%s: %w", text, err)
	}
	return serverSetting{server, s}, nil
}

// canonicalServerSettings checks settings of API servers, and brings them into the order
// of servers and names, each once.
func canonicalServerSettings(list []string) ([]string, error) {
	var all []serverSetting
	for _, text := range list {
		s, err := parseServerSetting(text)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.server == s.server && other.Name == s.Name && other.Value != s.Value {
				return nil, fmt.Errorf("%s and %s both set %s; give one of them", other, s, s.Name)
			}
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b serverSetting) int {
		// cache-10 comes behind cache-9.
		return cmp.Or(cmp.Compare(len(a.server), len(b.server)), strings.Compare(a.server, b.server), strings.Compare(a.Name, b.Name))
	})
	return textsOf(slices.Compact(all)), nil
}

func textsOf(all []serverSetting) []string {
	var texts []string
	for _, s := range all {
		texts = append(texts, s.String())
	}
	return texts
}

// SettingsOf are the settings of one API server.
func (o *Options) SettingsOf(server string) []option.Setting {
	var own []option.Setting
	for _, text := range o.ServerSettings {
		if s, err := parseServerSetting(text); err == nil && s.server == server {
			own = append(own, s.Setting)
		}
	}
	return own
}

// CheckServers reports settings that name no API server.
func (o *Options) CheckServers() error {
	names := o.ServerNames()
	for _, text := range o.ServerSettings {
		s, err := parseServerSetting(text)
		if err != nil {
			return err
		}
		if slices.Contains(names, s.server) {
			continue
		}
		if len(names) == 0 {
			return fmt.Errorf("server-settings=%s: there is no API server (caches=0)", text)
		}
		return fmt.Errorf("server-settings=%s: there is no API server %q; there are %s", text, s.server, strings.Join(names, ", "))
	}
	return nil
}

// WithServer is the topology with one option set for one API server.
func (o *Options) WithServer(server string, s option.Setting) (Options, error) {
	with := o.withoutServer(s.Name, server)
	list, err := canonicalServerSettings(append(with.ServerSettings, serverSetting{server, s}.String()))
	with.ServerSettings = list
	return with, err
}

// WithoutServers is the topology in which no API server has a value of its own for an
// option.
func (o *Options) WithoutServers(name string) Options {
	return o.withoutServer(name, o.ServerNames()...)
}

func (o *Options) withoutServer(name string, servers ...string) Options {
	with := *o
	with.ServerSettings = slices.DeleteFunc(slices.Clone(o.ServerSettings), func(text string) bool {
		s, err := parseServerSetting(text)
		return err == nil && s.Name == name && slices.Contains(servers, s.server)
	})
	return with
}
