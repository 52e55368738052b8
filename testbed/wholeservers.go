package testbed

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// UseClock gives parameters without a clock one that whole servers can run on, and what breaks some time.
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

// runCluster has the parameters be those of a run with whole servers: their elections need a clock.
func (p *Params) runCluster() {
	p.UseClock()
	c := &p.Clock
	c.Steps = max(c.Steps, 200_000)
	if p.Topology.Lagging {
		// Without the one that lags there is a quorum.
		p.Topology.EtcdMembers = max(3, p.Topology.EtcdMembers)
	}
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
	case n > maxMembers:
		return refused("etcd-members=%d are more than %d", n, maxMembers)
	case p.ChangesMember():
		return refused("no other one takes over by a fault; set members=, failovers=0 and downgrade=")
	case p.Topology.Lagging && n < 3:
		return refused("lagging=true needs a quorum without the one that lags; set etcd-members=3")
	}
	if inside := p.Faults.Inside(); len(inside) > 0 {
		return refused("the simulated server alone has %s; set each to 0 or false, as in --set %s=0", strings.Join(inside, ", "), inside[0])
	}
	for _, claim := range s.claims {
		if claim.Inside {
			return refused("the property %s looks into the simulated one", claim.Name)
		}
	}
	c.members = program.Cluster(ClusterConfig{Members: s.topology.Members, Initial: c.config.Initial, Notify: c.config.Options.Watch.ProgressNotifyInterval})
	return nil
}

// longestDelay leaves an election timeout, a second, enough for two messages as long as things break, ten times as slow.
const longestDelay = 50 * time.Millisecond

// maxMembers is how many members a cluster has at most.
const maxMembers = 5
