package scenarios

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
)

// GuardParams are about what keeps reads right and etcd alive: the members of the
// cluster with their versions.
type GuardParams struct {
	// Members are the versions of the members of the etcd cluster beside the one
	// that serves at first, which runs Params.Etcd; comma separated. One with "!"
	// behind it does not say its version until it serves.
	Members string
	// Failovers is how often the next member takes over.
	Failovers int
	// Downgrade is the version that etcd comes back as, once; empty is never.
	Downgrade string
}

var guardSettings = []setting{
	textSetting("members", "versions of the other members of the etcd cluster, comma separated; 3.5.7! does not say so until it serves",
		func(p *Params) *string { return &p.Guard.Members }, checkMembers),
	intSetting("failovers", "times that the next member of the etcd cluster takes over", func(p *Params) *int { return &p.Guard.Failovers }),
	textSetting("downgrade", "version that etcd is downgraded to in the run (empty: never)",
		func(p *Params) *string { return &p.Guard.Downgrade }, checkDowngrade),
}

// otherMembers are the versions of the members that do not serve at first, and
// whether they say so.
func (g *GuardParams) otherMembers() (versions []string, down []bool) {
	if g.Members == "" {
		return nil, nil
	}
	for _, m := range strings.Split(g.Members, ",") {
		v, silent := strings.CutSuffix(m, "!")
		versions, down = append(versions, v), append(down, silent)
	}
	return versions, down
}

func checkMembers(v string) error {
	versions, _ := (&GuardParams{Members: v}).otherMembers()
	if len(versions) >= cache.MostEndpoints {
		return fmt.Errorf("members=%s: an etcd cluster has at most %d members", v, cache.MostEndpoints)
	}
	for _, v := range versions {
		if err := checkEtcd(v); err != nil {
			return err
		}
	}
	return nil
}

func checkDowngrade(v string) error {
	if v == "" {
		return nil
	}
	return checkEtcd(v)
}

// member is a member of the cluster: what is assumed, and the bugs, are every
// member's.
func (p *Params) member(version string, down bool) (etcd.Member, error) {
	of := *p
	of.Etcd = version
	b, err := of.Behaviours()
	return etcd.Member{Version: version, Behaviour: b.Etcd, Down: down}, err
}

func (s *System) addFault(times int, f sim.Fault) {
	s.faults = append(s.faults, plannedFault{f, sim.Budget{Times: times, Within: s.params.FaultsFor}})
}

// configureGuard makes etcd a cluster, tells the caches of its members, and plans
// what happens to them.
func (s *System) configureGuard() error {
	g := &s.params.Guard
	versions, down := g.otherMembers()
	if len(versions) > 0 {
		s.serverConfig.Members = []etcd.Member{{Version: s.params.Etcd, Behaviour: s.behaviours.Etcd}}
	}
	for i, v := range versions {
		m, err := s.params.member(v, down[i])
		if err != nil {
			return err
		}
		s.serverConfig.Members = append(s.serverConfig.Members, m)
	}
	for i := range s.cacheConfigs {
		s.cacheConfigs[i].Endpoints = 1 + len(versions)
	}
	if g.Failovers > 0 {
		s.addFault(g.Failovers, &etcd.Failover{Node: s.etcdNode, Label: "etcd"})
	}
	if g.Downgrade != "" {
		to, err := s.params.member(g.Downgrade, false)
		if err != nil {
			return err
		}
		s.addFault(1, &etcd.Downgrade{Node: s.etcdNode, Label: "etcd", To: to})
	}
	return nil
}
