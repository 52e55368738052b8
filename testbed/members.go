package testbed

import (
	"fmt"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/etcd"
)

// GuardParams are about what keeps reads right and etcd alive: the members of the
// cluster with their versions, what reads cost, and clients that do not give up.
type GuardParams struct {
	// Members are the versions of the members of the etcd cluster beside the one
	// that serves at first, which runs Params.Etcd; comma separated. One with "!"
	// behind it does not say its version until it serves.
	Members string
	// Failovers is how often the next member takes over.
	Failovers int
	// Downgrade is the version that etcd comes back as, once; empty is never.
	Downgrade string

	// Pollers are clients that list again and again: one in Caches talks to each
	// API server. Patience is how long one waits for an answer, and what the API
	// server allows a request. Honour is whether it comes back when it is told to.
	Pollers  int
	Patience time.Duration
	Honour   bool
	// Clog keeps the watch of the first API server from getting anything, from
	// some time before FaultsFor is over until then.
	Clog bool
	// RangeTime, ItemTime and SharedConnection are what reads cost etcd.
	RangeTime, ItemTime time.Duration
	SharedConnection    bool
	// DelegatedLimit is how many lists each cache has with etcd at a time; 0 is no
	// limit.
	DelegatedLimit int
	// Settle is how long after the faults clients may still be refused.
	Settle time.Duration
}

// ChangesMember reports whether another release may serve later in the run.
func (g *GuardParams) ChangesMember() bool {
	return g.Downgrade != "" || g.Failovers > 0 || g.Members != ""
}

var guardSettings = []setting{
	textSetting("members", "versions of the other members of the etcd cluster, comma separated; 3.5.7! does not say so until it serves",
		func(p *Params) *string { return &p.Guard.Members }, checkMembers),
	intSetting("failovers", "times that the next member of the etcd cluster takes over", func(p *Params) *int { return &p.Guard.Failovers }),
	textSetting("downgrade", "version that etcd is downgraded to in the run (empty: never)",
		func(p *Params) *string { return &p.Guard.Downgrade }, checkDowngrade),
	intSetting("pollers", "clients that list again and again, and do not give up", func(p *Params) *int { return &p.Guard.Pollers }),
	durationSetting("patience", "how long each of them waits for an answer, and an API server works on it", func(p *Params) *time.Duration { return &p.Guard.Patience }),
	boolSetting("honour", "they come back when retry-after says so", func(p *Params) *bool { return &p.Guard.Honour }),
	boolSetting("clog", "nothing gets through to the watch of the first API server until faults end, timed", func(p *Params) *bool { return &p.Guard.Clog }),
	durationSetting("range-time", "how long a read keeps etcd busy (0: not at all)", func(p *Params) *time.Duration { return &p.Guard.RangeTime }),
	durationSetting("item-time", "how much longer for each object that it returns", func(p *Params) *time.Duration { return &p.Guard.ItemTime }),
	boolSetting("shared-connection", "etcd sends to watches behind the answers to reads", func(p *Params) *bool { return &p.Guard.SharedConnection }),
	intSetting("delegated-limit", "lists that each cache has with etcd at a time (0: no limit)", func(p *Params) *int { return &p.Guard.DelegatedLimit }),
	durationSetting("settle", "how long after the faults clients may still be refused", func(p *Params) *time.Duration { return &p.Guard.Settle }),
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
	if len(versions) >= guard.MaxEndpoints {
		return fmt.Errorf("members=%s: an etcd cluster has at most %d members", v, guard.MaxEndpoints)
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

// member is a member of the cluster: masks, settings and bugs are those of every
// member.
func (p *Params) member(version string, down bool) (etcd.Member, error) {
	of := *p
	of.Etcd = version
	b, err := of.Behaviours()
	return etcd.Member{Version: version, Behaviour: b.Etcd, Down: down}, err
}

// addMembers makes etcd a cluster whose members may take over from each other.
func (c *cluster) addMembers(s *System) error {
	versions, down := s.params.Guard.otherMembers()
	if len(versions) > 0 {
		c.config.Members = []etcd.Member{{Version: s.params.Etcd, Behaviour: s.behaviours.Etcd}}
	}
	for i, v := range versions {
		m, err := s.params.member(v, down[i])
		if err != nil {
			return err
		}
		c.config.Members = append(c.config.Members, m)
	}
	return nil
}
