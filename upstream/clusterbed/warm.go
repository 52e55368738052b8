package clusterbed

import (
	"errors"
	"time"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// warm boots the members once, without faults and delays, so that each run can begin with a cluster that has a leader, and with users and roles if there are any.
func (s *subject) warm() error {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	var members []*clusternode.Node
	for i, m := range s.members {
		members = append(members, m.Clone().(*clusternode.Node))
		w.Add(memberName(i), members[i])
	}
	founder := new(operator)
	if s.config.Auth {
		c := s.config
		c.Faults = Faults{}
		founder.reset(&c, nil)
		founder.permissions.root = s.login(root, 0)
		founder.permissions.plan(setUp()...)
		w.Add("founder", founder)
	}
	w.Start(plain{})
	w.Heal()
	for w.Now() < sim.Time(bootsWithin) {
		if !w.Step(plain{}) {
			break
		}
		if w.Now() >= sim.Time(bootsFor) && len(founder.permissions.due) == 0 && rest(w, members) {
			s.booted = members
			return nil
		}
	}
	return errors.New("the members do not become a cluster by themselves")
}

// bootsWithin is when a cluster must have a leader at the latest, bootsFor how long it runs at least, so that members have told each other of themselves.
const (
	bootsWithin = 60 * time.Second
	bootsFor    = 5 * time.Second
)

// rest reports whether all members wait for time to pass.
func rest(w *sim.World, members []*clusternode.Node) bool {
	for i, m := range members {
		under := false
		w.UnderWay(firstMember+sim.NodeID(i), func(*sim.Message, int) { under = true })
		if under || !m.AtRest() {
			return false
		}
	}
	return true
}

// plain makes the first choice always.
type plain struct{}

// Pick implements sim.Chooser.
func (plain) Pick(*sim.World, []sim.Action) int { return 0 }

// Choose implements sim.Chooser.
func (plain) Choose(*sim.World, int, string) int { return 0 }
