package testbed

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// Params are everything that, with the choices, makes a run. Each of them is an
// option with a name, so that a recording holds them all, expanded, and a person
// can change each one.
type Params struct {
	// Etcd and Client are versions, Cache is a design: presets of the options of the
	// nodes. Client is that of the server's own release if it is empty.
	Etcd, Client, Cache string
	// Program is the program that serves the watches of etcd, or is its members, of the same version; empty is the
	// simulated server.
	Program string
	// Settings are options of the nodes that are set on top of version and design.
	Settings []option.Setting
	// Bugs are known bugs that are planted, by name; each overrides a setting of the
	// same option.
	Bugs []string
	// Unmask names the options of races that are not masked: see Races.
	Unmask []string

	Topology  topology.Options
	Workload  workload.Options
	Informers InformerOptions
	Faults    faults.Options
	Clock     Clock
}

var (
	// ofParams is all options but those of the nodes.
	ofParams = option.Join(presets, course)
	// course is all but the version and the design.
	course = option.Join(extent, option.Lift(clockGroup, func(p *Params) *Clock { return &p.Clock }))

	presets = option.NewGroup("presets",
		option.Text("etcd", func(p *Params) *string { return &p.Etcd }, found(etcd.Release), "a version", "version of the etcd server"),
		option.Text("etcd-program", func(p *Params) *string { return &p.Program }, orNone(found(FindProgram)), "a program", "program that serves the watches of etcd, or is its members (empty: the simulated server)"),
		option.Text("client", func(p *Params) *string { return &p.Client }, orNone(found(client.OptionsOf)), "a version", "version of clientv3 (empty: that of the server)"),
		option.Text("cache", func(p *Params) *string { return &p.Cache }, found(cache.FindDesign), "a design", "design of the cache"),
		option.List("bugs", func(p *Params) *[]string { return &p.Bugs }, found(presetsOf), "known bugs that are planted"),
		option.List("unmask", func(p *Params) *[]string { return &p.Unmask }, checkUnmask, "options of etcd whose race is not masked"),
	)
	// extent is how many nodes there are, what clients do and what may break.
	extent = option.Join(
		option.Lift(topology.Group, func(p *Params) *topology.Options { return &p.Topology }),
		option.Lift(workload.Group, func(p *Params) *workload.Options { return &p.Workload }),
		option.Lift(informerGroup, func(p *Params) *InformerOptions { return &p.Informers }),
		option.Lift(faults.Group, func(p *Params) *faults.Options { return &p.Faults }),
	)
)

// Set changes one option by its name. One of the nodes then has this value whatever
// the version, the design and the scenario say. A planted bug that sets the same
// option is an error.
func (p *Params) Set(name, value string) error {
	if name == "etcd" {
		return p.setEtcd(value)
	}
	if o := ofParams.Lookup(name); o != nil {
		return o.Set(p, value)
	}
	o, err := nodeGroup.Find(name)
	if err != nil {
		return fmt.Errorf("unknown option %q%s", name, registry.Suggest(name, OptionNames()))
	}
	if err := o.Set(&Nodes{}, value); err != nil {
		return err
	}
	for _, bug := range p.Bugs {
		b, err := FindBug(bug)
		if err != nil {
			continue
		}
		if s := b.Planting(); s.Name == name && s.Value != value {
			return fmt.Errorf("%s=%s: the bug %s sets %s; give one of them", name, value, bug, s)
		}
	}
	p.Settings = append(slices.DeleteFunc(slices.Clone(p.Settings), func(s option.Setting) bool { return s.Name == name }), option.Setting{Name: name, Value: value})
	return nil
}

// With are parameters that are written in the source code: each NAME=VALUE, as --set takes it, with spaces
// between them. It panics on a mistake; call it in package variable declarations.
func With(settings string) Params { return Params{}.But(settings) }

// But are the parameters with other values of some options, written as With takes them.
func (p Params) But(settings string) Params {
	for _, s := range option.Settings(strings.Fields(settings)...) {
		if err := p.Set(s.Name, s.Value); err != nil {
			panic("testbed: " + err.Error())
		}
	}
	return p
}

// With are the parameters with one option of the nodes set, whatever they said of it
// before: a bug that sets it is not planted any more, and no API server has a value of
// its own. The error is that of Set.
func (p *Params) With(name, value string) (Params, error) {
	with := *p
	with.Bugs = slices.DeleteFunc(slices.Clone(p.Bugs), func(bug string) bool {
		b, err := FindBug(bug)
		return err == nil && b.Planting().Name == name
	})
	with.Topology = p.Topology.WithoutServers(name)
	return with, with.Set(name, value)
}

// Restore sets what Expand has listed. Options of the nodes that have their value
// already are not set again: it comes from the version, the design or a bug.
func (p *Params) Restore(list []option.Setting) error {
	ofNodes := func(s option.Setting) bool { return ofParams.Lookup(s.Name) == nil }
	for _, s := range list {
		if ofNodes(s) {
			continue
		}
		if err := p.Set(s.Name, s.Value); err != nil {
			return err
		}
	}
	n, err := p.Nodes()
	if err != nil {
		return err
	}
	for _, s := range list {
		if !ofNodes(s) || n.Value(s.Name) == s.Value {
			continue
		}
		if err := p.Set(s.Name, s.Value); err != nil {
			return err
		}
	}
	return nil
}

// Expand lists every option with its value, in a fixed order: those of the nodes
// behind all others. They are missing if the parameters name no version or design.
func (p *Params) Expand() []option.Setting {
	all := ofParams.Expand(p)
	if n, err := p.Nodes(); err == nil {
		all = append(all, nodeGroup.Expand(&n)...)
	}
	return all
}

// Given lists what distinguishes the parameters: the options that differ from those
// of no parameters at all, and the settings.
func (p *Params) Given() []option.Setting { return append(p.set(ofParams), p.Settings...) }

// GivenValue is what Given lists for one option, empty if it lists nothing.
func (p *Params) GivenValue(name string) string {
	if o := ofParams.Lookup(name); o != nil {
		if value := o.Get(p); value != o.Get(&Params{}) {
			return value
		}
		return ""
	}
	value, _ := option.ValueIn(p.Settings, name)
	return value
}

// Extent is the part of Given that says how many nodes there are, what clients do and what
// may break.
func (p *Params) Extent() []option.Setting { return p.set(extent) }

// Differences lists which options of Extent and of the clock are others than those of a scenario.
func (p *Params) Differences(from *Params) []option.Setting {
	return p.difference(course, from)
}

// Changed lists what Restore needs to make these parameters of those of their scenario.
func (p *Params) Changed(from *Params) []option.Setting {
	all := p.difference(ofParams, from)
	for _, s := range p.Settings {
		if value, ok := option.ValueIn(from.Settings, s.Name); !ok || value != s.Value {
			all = append(all, s)
		}
	}
	return all
}

// set lists the options of a group that differ from those of no parameters at all.
func (p *Params) set(g option.Group[Params]) []option.Setting { return p.difference(g, &Params{}) }

func (p *Params) difference(g option.Group[Params], from *Params) (all []option.Setting) {
	theirs := g.Expand(from)
	for i, s := range g.Expand(p) {
		if s != theirs[i] {
			all = append(all, s)
		}
	}
	return all
}

// Described is an option with what it means.
type Described struct {
	Name, Node, Doc string
	// Form is what a value looks like, Values are those of a choice, Default is what
	// 0 or nothing stands for.
	Form, Default string
	Values        []option.Value
}

// Describe lists all options.
func Describe() []Described { return append(describe(ofParams), describe(nodeGroup)...) }

func describe[C any](g option.Group[C]) []Described {
	var all []Described
	for i := range g {
		o := &g[i]
		all = append(all, Described{o.Name, o.Node, o.Doc, o.Form, o.Default, o.Values()})
	}
	return all
}

// StandsFor is the amount that 0 stands for as the value of an option, empty if 0 is what it says.
func StandsFor(name, value string) string {
	if n, err := strconv.Atoi(value); err != nil || n != 0 {
		return ""
	}
	for _, o := range Describe() {
		if _, err := strconv.Atoi(o.Default); err == nil && o.Name == name && len(o.Values) == 0 {
			return o.Default
		}
	}
	return ""
}

// OptionNames lists the names of all options.
func OptionNames() []string {
	var names []string
	for _, d := range Describe() {
		names = append(names, d.Name)
	}
	return names
}

// ClientVersion is the release of the client library: that of the server, unless
// the parameters ask for another one.
func (p *Params) ClientVersion() string {
	if p.Client == "" {
		return clientv3.OfServer(p.Etcd)
	}
	return p.Client
}

// ChangesMember reports whether another release of etcd may serve later in the run.
func (p *Params) ChangesMember() bool {
	return p.Faults.Downgrade != "" || p.Faults.Failovers > 0 || p.Topology.Members != ""
}

// MemberVersions are the versions of etcd that may serve in a run, each once: first
// the initial server's, then those of the other members, then the target of the
// downgrade.
func (p *Params) MemberVersions() []string {
	versions := []string{p.Etcd}
	for _, m := range p.Topology.OtherMembers() {
		versions = append(versions, m.Version)
	}
	if of, err := p.program(); err == nil && of != nil {
		versions = append(versions, of.Members...)
	}
	if v := p.Faults.Downgrade; v != "" {
		versions = append(versions, v)
	}
	return registry.With(nil, versions...)
}

// maxClients bounds the nodes of one world: beyond it a run can no longer be
// explored.
const maxClients = 12_000

// maxSize bounds the objects and operations of a run, so that a mistyped number does
// not take all memory.
const maxSize = 500_000

// fit reports options that are fine by themselves and make no run together.
func (p *Params) fit() error {
	ofCache := p.Workload.OfCache() + p.Informers.Count
	servers := p.Topology.Servers
	switch {
	case servers == 0 && ofCache > 0:
		return fmt.Errorf("caches=0: there are readers, watchers or informers, so there must be a cache")
	case servers == 0 && p.Faults.Clog:
		return fmt.Errorf("clog=true: there is no API server whose watch could be clogged")
	case !p.Topology.ClientKV && slices.ContainsFunc(p.Settings, func(s option.Setting) bool { return s.Name == "undecodable" && s.Value != "" }):
		return errors.New("undecodable: caches read etcd past the store that decodes; have them go through it with client-kv=true")
	case p.Faults.Failovers > 0 && len(p.Topology.OtherMembers()) == 0 && p.Topology.EtcdMembers < 2:
		return fmt.Errorf("failovers=%d: etcd has one member, so that no other can take over; add some, such as members=3.5.7", p.Faults.Failovers)
	case p.Topology.Balanced && !p.Topology.Lagging && p.Topology.EtcdMembers < 2:
		return errors.New("balanced=true: etcd has one member that serves watches; add the one that lags with lagging=true, or whole servers with etcd-members=3")
	case p.Faults.MemberPartitions > 0 && !p.Topology.Lagging:
		return fmt.Errorf("member-partitions=%d: etcd has one member that serves; add the one that lags with lagging=true", p.Faults.MemberPartitions)
	case p.Faults.ReadPartitions > 0 && !p.Topology.Lagging:
		return fmt.Errorf("read-partitions=%d: etcd has one member that serves; add the one that lags with lagging=true", p.Faults.ReadPartitions)
	case p.Faults.MemberPartitions > 0 && p.Faults.LeaderLosses > 0:
		return fmt.Errorf("member-partitions=%d and leader-losses=%d: choose one, since a member that is cut off cannot tell whether there is a leader",
			p.Faults.MemberPartitions, p.Faults.LeaderLosses)
	case p.Workload.Keys == 0 && p.Workload.ObjectWrites() > 0:
		return errors.New("keys=0: there are writers, so there must be a key that they write, such as keys=1")
	case p.Clock.Mode == sim.Timed && p.Clock.Horizon == 0:
		return fmt.Errorf("mode=timed: a timed run needs a horizon, such as horizon=20s")
	case p.Workload.Total()+p.Informers.Count+servers*max(1, p.Topology.Resources) > maxClients:
		return fmt.Errorf("there are more than %d clients and caches; set fewer writers, readers, watchers, informers or caches", maxClients)
	case p.Workload.Size() > maxSize:
		return fmt.Errorf("there are %d objects and operations (items, history, keys, writes, reads), more than %d", p.Workload.Size(), maxSize)
	case (p.Workload.Wide || p.Workload.Rewrites) && p.Workload.Keys*p.Workload.ObjectWrites() > maxSize:
		return fmt.Errorf("wide=true: there are %d writes that may change all %d keys at one revision, more than %d changes; set fewer keys or writes",
			p.Workload.ObjectWrites(), p.Workload.Keys, maxSize)
	}
	if err := p.Informers.Shared.Fit(); err != nil {
		return err
	}
	return p.Topology.CheckServers()
}

// found accepts the names for which there is something.
func found[V, T any](find func(V) (T, error)) func(V) error {
	return func(name V) error {
		_, err := find(name)
		return err
	}
}

// orNone accepts nothing, too.
func orNone(check func(string) error) func(string) error {
	return func(name string) error {
		if name == "" {
			return nil
		}
		return check(name)
	}
}

// RecordedParams are the parameters that a recording of the scenario has. The error, one line, names what the
// recording says that this version does not know.
func (sc *Scenario) RecordedParams(recorded []option.Setting) (Params, error) {
	p := sc.Params
	given := map[string]bool{}
	for _, s := range recorded {
		if given[s.Name] {
			return p, fmt.Errorf("recorded parameters: %s is there twice", s.Name)
		}
		given[s.Name] = true
	}
	if err := p.Restore(recorded); err != nil {
		return p, fmt.Errorf("recorded parameters: %w", err)
	}
	return p, nil
}

// RecordedScenario finds the scenario of a recording or of a link, and sets its options.
func RecordedScenario(name string, set []option.Setting) (*Scenario, Params, error) {
	sc, err := FindScenario(name)
	if err != nil {
		return nil, Params{}, err
	}
	p, err := sc.RecordedParams(set)
	return sc, p, err
}

// Recorded puts the scenario together as it was recorded.
func (sc *Scenario) Recorded(recorded []option.Setting) (*System, error) {
	p, err := sc.RecordedParams(recorded)
	if err != nil {
		return nil, err
	}
	s, err := sc.New(p)
	if err != nil {
		return nil, fmt.Errorf("recorded parameters: %w", err)
	}
	return s, nil
}

// Nodes are the options of the nodes that are simulated.
type Nodes struct {
	Etcd   etcd.Options
	Client client.Options
	Cache  cache.Options
	// Informers and Compactors are what clients and API servers have done otherwise;
	// what else is set of them is in Params.
	Informers  informer.Deviations
	Compactors compactor.Deviations
}

// nodeGroup is all options of the nodes.
var nodeGroup = option.Join(
	option.Lift(etcd.Group, func(n *Nodes) *etcd.Options { return &n.Etcd }),
	option.Lift(client.Group, func(n *Nodes) *client.Options { return &n.Client }),
	option.Lift(cache.Group, func(n *Nodes) *cache.Options { return &n.Cache }),
	option.Lift(informer.Choices, func(n *Nodes) *informer.Deviations { return &n.Informers }),
	option.Lift(compactor.Choices, func(n *Nodes) *compactor.Deviations { return &n.Compactors }))

// nodeChoices are those with named values: in what versions and designs differ.
var nodeChoices = slices.DeleteFunc(slices.Clone(nodeGroup), func(o option.Option[Nodes]) bool { return o.Form != "" })

// Choice is an option of a node with named values, and the value that it has.
type Choice struct {
	// Node is "etcd", "client", "cache", "informers" or "compactor".
	Node, Name, Value string
	Values            []string
	// Off are the values with which the code of the option does not run.
	Off []string
}

// Choices lists them in a fixed order.
func (n *Nodes) Choices() []Choice {
	all := make([]Choice, len(nodeChoices))
	for i := range nodeChoices {
		o := &nodeChoices[i]
		all[i] = Choice{Node: o.Node, Name: o.Name, Value: o.Get(n)}
		for _, v := range o.Values() {
			all[i].Values = append(all[i].Values, v.Name)
			if v.IsOff {
				all[i].Off = append(all[i].Off, v.Name)
			}
		}
	}
	return all
}

// Value is that of an option of a node. It is empty if there is none of the name.
func (n *Nodes) Value(name string) string {
	o, err := nodeGroup.Find(name)
	if err != nil {
		return ""
	}
	return o.Get(n)
}

// Nodes is what the versions and the design come to, with the masks, the settings,
// the bugs and what the members of this version have on top of them, in this order:
// the options of etcd, and of each API server that has none of its own. It returns an
// error if there is none of such a name, or if two bugs want different values of one
// option.
func (p *Params) Nodes() (Nodes, error) {
	n, err := p.equalNodes()
	if err != nil {
		return n, err
	}
	echoes := n.Cache.ProgressRequests == progress.Echo
	if len(p.Topology.ServerSettings) > 0 {
		echoes = echoes && p.Faults.Replacements > 0
		for _, name := range p.Topology.ServerNames() {
			s, err := p.server(name)
			if err != nil {
				return n, err
			}
			echoes = echoes || s.Cache.ProgressRequests == progress.Echo
		}
	}
	if _, set := p.override("progress-echo"); !set && echoes {
		// The design is one of etcd as well.
		n.Etcd.Watch.EchoesID = true
	}
	return n, p.Topology.SetMember(p.Etcd, &n.Etcd)
}

// equalNodes are the options of the nodes without those that belong to one of several.
func (p *Params) equalNodes() (Nodes, error) {
	var n Nodes
	var err error
	if n.Etcd, err = etcd.OptionsOf(p.Etcd); err != nil {
		return n, err
	}
	if n.Client, err = client.OptionsOf(p.ClientVersion()); err != nil {
		return n, err
	}
	if n.Cache, err = cache.ForDesign(p.Cache); err != nil {
		return n, err
	}
	design, err := cache.FindDesign(p.Cache)
	if err != nil {
		return n, err
	}
	for _, s := range design.Storage {
		if err := etcd3.Group.Set(&n.Client.Watcher, s.Name, s.Value); err != nil {
			return n, err
		}
	}
	ignored, err := p.ignoredBy()
	if err != nil {
		return n, err
	}
	for _, s := range append(p.masks(), p.Settings...) {
		if ignored(s.Name, s.Value) != "" {
			continue
		}
		if err := nodeGroup.Set(&n, s.Name, s.Value); err != nil {
			return n, err
		}
	}
	bugs, err := presetsOf(p.Bugs)
	if err != nil {
		return n, err
	}
	for _, b := range bugs {
		for _, s := range b.Settings {
			if by := ignored(s.Name, s.Value); by != "" {
				return n, fmt.Errorf("the bug %s is %s, an option that %s does not read", b.Name, s, by)
			}
		}
	}
	return n, nodeGroup.ApplyAll(&n, bugs...)
}

// ignoredBy returns a function that says which node is other code than the simulated one and does not read an
// option, or not this value of it; it is empty if none is.
func (p *Params) ignoredBy() (func(option, value string) string, error) {
	design, err := cache.FindDesign(p.Cache)
	if err != nil {
		return nil, err
	}
	served, err := p.program()
	if err != nil {
		return nil, err
	}
	return func(option, value string) string {
		switch {
		case ignores(design, option, value):
			return "the node of the cache design " + design.Name
		case served != nil && served.Ignores(option):
			return "the program " + served.Name
		}
		return ""
	}, nil
}

// ignores reports whether a setting does not reach the API servers of a design: one of its own node's options, or of
// the etcd3 watcher if the node brings another one.
func ignores(d *cache.Design, name, value string) bool {
	return d.Ignores(name, value) || d.Storage != nil && etcd3.Group.Lookup(name) != nil && !d.IsTold(name, value)
}

// Ignores says which node is other code than the simulated one and does not read an option, or not this value of
// it, empty if none is. Without a value it is asked whether any would be read.
func (p *Params) Ignores(option, value string) string {
	ignored, err := p.ignoredBy()
	if err != nil {
		return ""
	}
	return ignored(option, value)
}

// Has reports whether a bug changes nothing: the release and the design have it
// already. It is false for a bug that cannot be planted.
func (p *Params) Has(bug string) bool {
	with := *p
	with.Bugs = append(with.Bugs[:len(with.Bugs):len(with.Bugs)], bug)
	before, err := p.Nodes()
	if err != nil {
		return false
	}
	after, err := with.Nodes()
	return err == nil && after == before
}

// override is the value that a bug, a setting or a mask gives an option of the
// nodes, in this order; ok is false if the version or the design decides.
func (p *Params) override(name string) (value string, ok bool) {
	for _, bug := range p.Bugs {
		if b, err := FindBug(bug); err == nil && b.Planting().Name == name {
			return b.Planting().Value, true
		}
	}
	return option.ValueIn(append(p.masks(), p.Settings...), name)
}

// Setup is what parameters come to: what is known to be violated depends on it.
type Setup struct {
	Params *Params
	// Nodes are the options of etcd, and of the client library and the cache of an API
	// server: what version, design, masks, settings and bugs come to, each on top of
	// those before.
	Nodes Nodes
	// Servers are the options of each API server, if they are not the same, and of those
	// that come in their place.
	Servers []Nodes
}

// Setup computes what the parameters come to. The error is that of Nodes.
func (p *Params) Setup() (*Setup, error) {
	n, err := p.Nodes()
	s := &Setup{Params: p, Nodes: n}
	if err != nil || len(p.Topology.ServerSettings) == 0 {
		return s, err
	}
	servers, err := p.Servers()
	for i := range servers {
		s.Servers = append(s.Servers, servers[i].Nodes)
	}
	if p.Faults.Replacements > 0 {
		s.Servers = append(s.Servers, n)
	}
	return s, err
}

// ofServers are the setups with the options of one API server each.
func (s *Setup) ofServers() []*Setup {
	if len(s.Servers) == 0 {
		return []*Setup{s}
	}
	var all []*Setup
	for _, n := range s.Servers {
		all = append(all, &Setup{Params: s.Params, Nodes: n})
	}
	return all
}
