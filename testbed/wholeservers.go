package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// UseClock gives parameters without a clock the clock that whole servers need, and faults some time to strike in.
func (p *Params) UseClock() {
	c := &p.Clock
	if c.Mode == sim.Timed {
		return
	}
	c.Mode, c.AtRest, c.ToRest = sim.Timed, false, false
	c.Network = cmp.Or(c.Network, time.Millisecond)
	c.Scheduling = cmp.Or(c.Scheduling, 500*time.Microsecond)
	c.Horizon = cmp.Or(c.Horizon, time.Minute)
	if len(p.Faults.Set()) > 0 {
		p.Faults.For = cmp.Or(p.Faults.For, 2*time.Second)
	}
}

// runCluster has the parameters be those of a run with whole servers: their elections need a clock. named is how many
// members are.
func (p *Params) runCluster(named int) {
	c := &p.Clock
	if c.Mode != sim.Timed && p.Faults.LeaderLosses > 0 {
		// Members notice that after some election timeouts.
		p.Faults.For = cmp.Or(p.Faults.For, 10*time.Second)
	}
	p.UseClock()
	c.Steps = max(c.Steps, 200_000)
	if p.Topology.EtcdMembers = cmp.Or(p.Topology.EtcdMembers, named); p.needsQuorum() != "" {
		p.Topology.EtcdMembers = max(3, p.Topology.EtcdMembers)
	}
}

// needsQuorum is an option that needs a quorum without one of the members, or between them, empty if there is none.
func (p *Params) needsQuorum() string {
	switch f := &p.Faults; {
	case p.Topology.Lagging:
		return "lagging"
	case f.LeaderLosses > 0:
		return "leader-losses"
	case f.LeaderChanges > 0:
		return "leader-changes"
	case f.Failovers > 0:
		return "failovers"
	}
	return ""
}

// useCluster has etcd be a program that is the whole cluster.
func (c *cluster) useCluster(s *System, program *Program) error {
	p := &s.params
	refused := func(format string, values ...any) error {
		return fmt.Errorf("%s is made of whole servers: "+format, append([]any{program.Name}, values...)...)
	}
	n := max(1, p.Topology.EtcdMembers)
	switch {
	case p.Clock.Mode != sim.Timed:
		return refused("their elections need a clock; set mode=timed")
	case p.Clock.Network > longestDelay:
		return refused("network=%v is longer than their heartbeats stand; set %v at most", p.Clock.Network, longestDelay)
	case len(program.Members) > 0 && len(program.Members) != n:
		return refused("etcd-members=%d are not the %d that are named; name one release, or one for each", n, len(program.Members))
	case n > maxMembers:
		return refused("etcd-members=%d are more than %d", n, maxMembers)
	case p.Faults.Downgrade != "" || p.Topology.Members != "":
		return refused("no other release takes over by a fault; set members= and downgrade=, and name a release for each member in --etcd")
	case p.Faults.Failovers > 0 && !s.topology.Spread():
		return refused("failovers=%d take members away for good, of which clients ask one; set failovers=0, or balanced=true", p.Faults.Failovers)
	case p.needsQuorum() != "" && n < 3:
		return refused("%s is not 0 or false, and needs other members; set etcd-members=3", p.needsQuorum())
	}
	if inside := p.Faults.Inside(); len(inside) > 0 {
		return refused("the simulated server alone has %s; set each to 0 or false, as in --set %s=0", strings.Join(inside, ", "), inside[0])
	}
	if len(s.claims) > 0 && !slices.ContainsFunc(s.claims, func(c *Property) bool { return !c.Inside }) {
		return refused("the property %s looks into the simulated one, and no other is claimed", s.claims[0].Name)
	}
	var err error
	c.members, err = program.Cluster(ClusterConfig{Members: s.topology.Members, Initial: c.config.Initial, Notify: c.config.Options.Watch.ProgressNotifyInterval})
	if err != nil {
		return refused("%w", err)
	}
	return nil
}

// longestDelay leaves an election timeout, a second, enough for two messages as long as things break, ten times as
// slow.
const longestDelay = 50 * time.Millisecond

// maxMembers is how many members a cluster has at most.
const maxMembers = 5
