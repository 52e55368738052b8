package flip

import (
	"slices"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// candidate is one thing that may be the cause: a behaviour of a node, or the faults
// of one option.
type candidate struct {
	testbed.Choice
	// member is the version whose members of etcd alone have the behaviour; empty is
	// every member.
	member string
	// servers are the API servers that alone have the behaviour; none is every one.
	servers []string
	// later: those have it, too, that come in the place of other servers.
	later bool
	// alone are the same behaviour of each of several servers by itself.
	alone []candidate
	// planted: the value is a bug that the parameters name.
	planted bool
	// whole: it is all code of a node, which others may stand in for. changed is what that code has and the others
	// lack, empty if they are other releases.
	whole   bool
	changed string
}

// Nodes of candidates that are no behaviour of a node.
const (
	ofFaults  = "faults"
	ofClients = "clients"
)

// candidates are all things that may be the cause, in the order in which they are
// tried: changes of code and planted bugs, because the question about them is whether they decide, and
// not which etcd would hide them; then the behaviours of etcd, since fixes are made
// there, of the client library, faults that no cache can bear, and those of the cache,
// of informers and of compactors.
func (s *search) candidates() []candidate {
	n, err := s.params.Nodes()
	if err != nil {
		return nil
	}
	servers, err := s.params.Servers()
	if err != nil {
		return nil
	}
	var planted, etcd, client, cache []candidate
	for _, c := range s.codes() {
		switch {
		case c.changed != "":
			planted = append(planted, c)
		case c.Node == "etcd":
			etcd = append(etcd, c)
		default:
			cache = append(cache, c)
		}
	}
	for _, c := range n.Choices() {
		if s.params.Ignores(c.Name, "") != "" {
			continue
		}
		c.Values = slices.DeleteFunc(c.Values, func(value string) bool { return s.params.Ignores(c.Name, value) != "" })
		for _, one := range s.owned(c, servers) {
			switch {
			case one.planted:
				planted = append(planted, one)
			case c.Node == "etcd":
				etcd = append(etcd, one)
			case c.Node == "client":
				client = append(client, one)
			default:
				cache = append(cache, one)
			}
		}
	}
	return slices.Concat(planted, etcd, client, s.faults(), cache)
}

// codes are the candidates of nodes that are other code than the simulated one: its change, and its release.
func (s *search) codes() []candidate {
	var all []candidate
	add := func(node, value string, neighbours func() []option.Neighbour) {
		if neighbours == nil {
			return
		}
		release := candidate{Choice: testbed.Choice{Node: node, Name: node, Value: value}, whole: true}
		for _, n := range neighbours() {
			one := release
			one.Values, one.changed = []string{n.Name}, n.Without
			if n.Without != "" {
				all = append(all, one)
			} else {
				release.Values = append(release.Values, n.Name)
			}
		}
		if len(release.Values) > 0 {
			all = append(all, release)
		}
	}
	if served, err := testbed.FindProgram(s.params.Program); s.params.Program != "" && err == nil {
		add("etcd", served.Name, served.Neighbours)
	}
	if design, err := cache.FindDesign(s.params.Cache); err == nil {
		add("cache", design.Name, design.Neighbours)
	}
	return all
}

// owned are the candidates of one behaviour.
func (s *search) owned(c testbed.Choice, servers []testbed.Server) []candidate {
	one := candidate{Choice: c, planted: isPlanted(s.params, c)}
	switch {
	case c.Node == "etcd" && !one.planted:
		return s.ofMembers(one)
	case c.Node == "etcd", c.Node == "informers", len(servers) == 0:
		return []candidate{one}
	}
	return s.ofServers(c, servers)
}

// ofServers are the candidates of a behaviour of an API server: one for each value that
// servers have.
func (s *search) ofServers(c testbed.Choice, servers []testbed.Server) []candidate {
	var values []string
	having := map[string][]string{}
	replaced, ofLater := s.params.Faults.Replacements > 0, c.Value
	for i := range servers {
		v := servers[i].Value(c.Name)
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
		having[v] = append(having[v], servers[i].Name)
	}
	if replaced && !slices.Contains(values, ofLater) {
		values = append(values, ofLater)
	}
	var all []candidate
	for _, v := range values {
		c.Value = v
		one := candidate{Choice: c, planted: isPlanted(s.params, c)}
		if len(values) > 1 {
			one.servers, one.later = having[v], replaced && v == ofLater
		}
		if len(having[v]) > 1 {
			for _, name := range having[v] {
				one.alone = append(one.alone, candidate{Choice: c, planted: one.planted, servers: []string{name}})
			}
		}
		all = append(all, one)
	}
	return all
}

// ofMembers are the candidates of a behaviour of etcd: one for each version that may
// serve in the run, so that a version which comes later is told from the first one.
func (s *search) ofMembers(c candidate) []candidate {
	versions := s.params.MemberVersions()
	if len(versions) == 1 {
		return []candidate{c}
	}
	var all []candidate
	for _, v := range versions {
		of := s.params
		of.Etcd = v
		n, err := of.Nodes()
		if err != nil {
			continue
		}
		c.member, c.Value = v, n.Value(c.Name)
		all = append(all, c)
	}
	return all
}

// faults are those that may strike and that no cache can bear.
func (s *search) faults() []candidate {
	var all []candidate
	for _, f := range s.params.Faults.Set() {
		if slices.Contains(faults.Unbearable, f.Name) {
			all = append(all, faultOf(f))
		}
	}
	return all
}

func faultOf(f option.Setting) candidate {
	return candidate{Choice: testbed.Choice{Node: ofFaults, Name: f.Name, Value: f.Value, Values: []string{none}}}
}

// circumstances are what a cache has to bear: all faults that may strike, and what clients do beside what they would do
// anyway.
func (s *search) circumstances() []candidate {
	var all []candidate
	for _, f := range s.params.Faults.Set() {
		all = append(all, faultOf(f))
	}
	for _, o := range workload.Group.Expand(&s.params.Workload) {
		if o.Value == "true" {
			all = append(all, candidate{Choice: testbed.Choice{Node: ofClients, Name: o.Name, Value: o.Value, Values: []string{"false"}}})
		}
	}
	return all
}

// none is the value of a fault that does not strike.
const none = "none"

// with are the parameters with another value of the candidate.
func (s *search) with(c *candidate, value string) (testbed.Params, error) {
	switch {
	case c.Node == ofFaults:
		return s.without(c.Name)
	case c.Node == ofClients:
		changed := s.params
		return changed, changed.Set(c.Name, value)
	case c.later:
		return s.withLater(c, value)
	case len(c.servers) > 0:
		changed := s.params
		for _, server := range c.servers {
			var err error
			if changed.Topology, err = changed.Topology.WithServer(server, option.Setting{Name: c.Name, Value: value}); err != nil {
				return changed, err
			}
		}
		return changed, nil
	case c.member != "":
		changed := s.params
		var err error
		changed.Topology, err = s.params.Topology.WithMember(c.member, option.Setting{Name: c.Name, Value: value})
		return changed, err
	}
	return s.params.With(c.Name, value)
}

// withLater are the parameters with another value of the servers that come later, and of
// those that have the same one. The others keep theirs.
func (s *search) withLater(c *candidate, value string) (testbed.Params, error) {
	servers, err := s.params.Servers()
	if err != nil {
		return s.params, err
	}
	changed, err := s.params.With(c.Name, value)
	for i := range servers {
		if own := servers[i].Value(c.Name); err == nil && !slices.Contains(c.servers, servers[i].Name) && own != value {
			changed.Topology, err = changed.Topology.WithServer(servers[i].Name, option.Setting{Name: c.Name, Value: own})
		}
	}
	return changed, err
}

// paramsOf are the parameters with the version that the members or the servers of a
// candidate have.
func (s *search) paramsOf(c *candidate) testbed.Params {
	p := s.params
	if c.member != "" {
		p.Etcd = c.member
	}
	if len(c.servers) > 0 {
		for _, own := range p.Topology.SettingsOf(c.servers[0]) {
			if own.Name == topology.ClientOfServer {
				p.Client = own.Value
			}
		}
	}
	return p
}

// without are the parameters without the faults of one option.
func (s *search) without(fault string) (testbed.Params, error) {
	changed := s.params
	var err error
	changed.Faults, err = s.params.Faults.Without(fault)
	return changed, err
}

// isPlanted reports whether the parameters name this bug.
func isPlanted(p testbed.Params, choice testbed.Choice) bool {
	bug := bugOf(choice.Node, choice.Name, choice.Value)
	return bug != nil && p.Plants(bug)
}

// remedies are the values that are tried in the place of the present one, each with
// the releases or designs that have it. Not every value that hides a violation mends
// something:
//
//   - of etcd and the client library it is what the release or a later one has, or
//     whatever else there is if the present value is a known bug that no release
//     fixed, and what is proposed for the API server's client of etcd; at last, if nothing else decides, what an
//     earlier release had: then the violation began with this one;
//   - of the cache, of informers and compactors it is what is shipped. If the cache has the shipped behaviour
//     already, another one is an alternative that goes around the cause, such as to
//     have etcd answer every read;
//   - of code from outside it is what that says can stand in for it, and each value of an option that it reads;
//   - a known bug is none.
func (s *search) remedies(c *candidate) []trial {
	var all []trial
	shipped := c.Values[0]
	present := bugOf(c.Node, c.Name, c.Value)
	for _, value := range c.Values {
		if value == c.Value || knownBug(c.Node, c.Name, value) != nil {
			continue
		}
		v := trial{name: value}
		mends := true
		switch {
		case c.whole:
			v.since.later = true
		case c.Node == ofFaults, c.Node == ofClients, c.Node == "cache" && s.gated:
		case c.Node == "cache", c.Node == "informers", c.Node == "compactor":
			v.since = releases(s.scenario, s.paramsOf(c), c.Choice, value)
			mends = c.Value != shipped && value == shipped
		default:
			v.since = releases(s.scenario, s.paramsOf(c), c.Choice, value)
			mends = v.since.later || v.since.none && c.Node == "client" || present != nil && present.FixedIn.Of == "" && bugOf(c.Node, c.Name, value) == nil
		}
		if s.earlier && v.since.earlier || !s.earlier && mends {
			all = append(all, v)
		}
	}
	return all
}
