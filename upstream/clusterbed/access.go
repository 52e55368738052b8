package clusterbed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// access is what the auditor learns of what users may do: of each member what users and roles are there, and what it
// answers to users.
type access struct {
	// users ask for themselves.
	users [len(users)]login
	// disabled: there is no authentication. granted are the roles of users, given the rights of roles, as the first
	// member has them.
	disabled bool
	granted  [len(users)][]string
	given    [len(roles)][]clusternode.Permission
	// said is what each member says of users and roles, trials is what it answered to users.
	said   []memberSays
	trials []trial
	// refusals counts those of the question under way, on end.
	refusals int
}

// memberSays is what a member says of users and roles.
type memberSays struct {
	member int
	text   string
}

// trial is whether a user could read or write a key at a member.
type trial struct {
	member, user int
	write, done  bool
}

// tried is the key that users read and write in the audit.
const tried = prefix + "1"

// refusalsAtMost is how often a user is refused by a member until it is for good. In between the member may come to
// know what others know already.
const refusalsAtMost = 3

// logIn has the auditor ask as root and as the users.
func (a *auditor) logIn(as func(user string, home int) login) {
	a.root = as(root, 0)
	for u, name := range users {
		a.access.users[u] = as(name, u)
	}
}

// asks is the login with which a question is asked.
func (a *auditor) asks(q *question) *login {
	if q.about == readsAs || q.about == writesAs {
		return &a.access.users[q.of]
	}
	return &a.root
}

// planAccess asks each member for all users and roles, and then for what each user reads and writes.
func (a *auditor) planAccess(members []int) {
	for _, to := range members {
		a.questions = append(a.questions, question{about: enabled, to: to})
		for u := range users {
			a.questions = append(a.questions, question{about: rolesOfUser, to: to, of: u})
		}
		for r := range roles {
			a.questions = append(a.questions, question{about: rightsOfRole, to: to, of: r})
		}
	}
	for _, to := range members {
		for u := range users {
			a.questions = append(a.questions, question{about: readsAs, to: to, of: u}, question{about: writesAs, to: to, of: u})
		}
	}
}

// take takes what a member says of a user or a role.
func (x *access) take(q *question, p *clusternode.Response) {
	switch q.about {
	case enabled:
		x.said = append(x.said, memberSays{member: q.to})
		x.note(fmt.Sprintf("authentication enabled: %v, revision %d", p.Enabled, p.Revision))
		x.disabled = !p.Enabled
	case rolesOfUser:
		slices.Sort(p.Names)
		x.note(fmt.Sprintf("%s is %s", users[q.of], strings.Join(p.Names, " and ")))
		x.granted[q.of] = p.Names
	case rightsOfRole:
		x.note(fmt.Sprintf("%s may %v", roles[q.of], p.Permissions))
		x.given[q.of] = p.Permissions
	}
}

// note notes a part of what a member says.
func (x *access) note(text string) {
	last := &x.said[len(x.said)-1]
	last.text += text + "; "
}

// refused reports whether a user is refused for good.
func (a *auditor) refused() bool {
	a.access.refusals++
	return a.access.refusals == refusalsAtMost
}

// tried notes what came of a trial.
func (a *auditor) tried(q *question, done bool) {
	a.access.refusals = 0
	a.access.trials = append(a.access.trials, trial{q.to, q.of, q.about == writesAs, done})
}

// may reports whether a user may read or write the key that is tried.
func (x *access) may(t *trial) bool {
	if x.disabled {
		return true
	}
	n := need{write: t.write, key: tried}
	for r, name := range roles {
		if slices.Contains(x.granted[t.user], name) && slices.ContainsFunc(x.given[r], func(p clusternode.Permission) bool { return n.given(&p) }) {
			return true
		}
	}
	return false
}

func (n *need) String() string {
	text := "read " + n.key
	switch {
	case n.root:
		return "do what root does"
	case n.write:
		text = "write " + n.key
	}
	switch n.end {
	case "":
	case "\x00":
		text += " and all keys behind it"
	default:
		text += " to " + n.end
	}
	return text
}

// permitted judges that no user does what is certainly forbidden then. A read that may be old, or a watch, may know of
// nothing that has changed since its user was given the token.
func (s *subject) permitted() explore.Finding {
	f := claims("permitted")
	p := &s.operator.permissions
	for i, c := range s.sessions {
		u := i % len(users)
		for k := range c.Operations() {
			op := &c.Operations()[k]
			if op.Outcome != model.Done {
				continue
			}
			from := op.Call
			if op.Request.Freshness == model.Any {
				from = c.tokens[k]
			}
			for _, n := range needs(op.Request) {
				f.expect(!p.forbids(u, n, from, op.Return), op.Request.Kind.String(), "%s as %s, which may not %v, is answered a %v", c.Name(), users[u], &n, op.Request.Kind)
			}
		}
	}
	for _, c := range s.watchers {
		for i := range c.allowed {
			a := &c.allowed[i]
			f.expect(!p.forbids(a.user, a.need, a.token, a.answer), "watch", "%s as %s, which may not %v, has a watch of that", c.name, users[a.user], &a.need)
		}
	}
	x := &s.auditor.access
	for i := range x.trials {
		t := &x.trials[i]
		f.expect(!t.done || x.may(t), "audit", "at the end %s, which may not %v, does so at %s", users[t.user], &need{write: t.write, key: tried}, memberName(t.member))
	}
	return f.Finding
}

// granted judges that each member lets users do what they may, when nothing changes any more.
func (s *subject) granted() explore.Finding {
	c := claims("granted")
	x := &s.auditor.access
	for i := range x.trials {
		if t := &x.trials[i]; x.may(t) {
			c.expect(t.done, "refused", "at the end %s refuses %s, which may %v", memberName(t.member), users[t.user], &need{write: t.write, key: tried})
		}
	}
	return c.Finding
}

// samePermissions judges that all members name the same users and roles, behind all that the one that is asked knew to
// be decided.
func (s *subject) samePermissions() explore.Finding {
	c := claims("same-permissions")
	all := s.auditor.access.said
	for i := range all {
		a, b := &all[0], &all[i]
		c.expect(a.text == b.text, "differ", "%s has: %s%s has: %s", memberName(a.member), a.text, memberName(b.member), b.text)
	}
	return c.Finding
}
