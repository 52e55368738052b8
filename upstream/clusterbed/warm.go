package clusterbed

import "github.com/watchbed/watchbed/upstream/clusternode"

// warm boots the members once, so that each run can begin with a cluster that has a leader, and with users and roles if
// there are any.
func (s *subject) warm() (err error) {
	if !s.config.Auth {
		s.booted, err = clusternode.Boot(s.members, nil, nil)
		return err
	}
	c, founder := s.config, new(operator)
	c.Faults = Faults{}
	founder.reset(&c, nil)
	founder.permissions.root = s.login(root, 0)
	founder.permissions.plan(setUp()...)
	s.booted, err = clusternode.Boot(s.members, founder, func() bool { return len(founder.permissions.due) == 0 })
	return err
}
