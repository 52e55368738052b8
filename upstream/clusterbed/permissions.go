package clusterbed

import (
	"math"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// users have the role of their name at first, if there is one. Clients, watchers and holders are these users in turn.
// The operator and the auditor are root.
var users = [...]string{"writer", "part", "reader", "stranger"}

const root = "root"

// roles are those of users but root.
var roles = [...]string{"writer", "part", "reader"}

// rights are what roles may do at first.
var rights = [...]struct {
	role int
	clusternode.Permission
}{
	{0, clusternode.Permission{Type: clusternode.ReadWrite, Key: prefix, End: model.PrefixEnd(prefix)}},
	{0, clusternode.Permission{Type: clusternode.ReadWrite, Key: "/registry/other"}},
	{1, clusternode.Permission{Type: clusternode.ReadWrite, Key: prefix + "1"}},
	{1, clusternode.Permission{Type: clusternode.Write, Key: prefix + "2"}},
	{2, clusternode.Permission{Type: clusternode.Read, Key: prefix, End: model.PrefixEnd(prefix)}},
}

// fact is something that holds or does not: that there is authentication, a user, a role, that a user has a role, that
// a role has a right, or that a user has the other password.
type fact int

const (
	authEnabled fact = 0
	firstUser        = authEnabled + 1
	firstRole        = firstUser + fact(len(users))
	firstGrant       = firstRole + fact(len(roles))
	firstRight       = firstGrant + fact(len(users)*len(roles))
	firstOther       = firstRight + fact(len(rights))
	facts            = firstOther + fact(len(users))
)

func isUser(u int) fact     { return firstUser + fact(u) }
func isRole(r int) fact     { return firstRole + fact(r) }
func hasRole(u, r int) fact { return firstGrant + fact(u*len(roles)+r) }
func hasRight(x int) fact   { return firstRight + fact(x) }
func hasOther(u int) fact   { return firstOther + fact(u) }

// setting is what a change makes of a fact.
type setting struct {
	fact
	holds bool
}

// permissionChange is a request, and what it changes.
type permissionChange struct {
	request *clusternode.Auth
	sets    []setting
}

func enable(on bool) permissionChange {
	op := protocol.OpAuthDisable
	if on {
		op = protocol.OpAuthEnable
	}
	return permissionChange{&clusternode.Auth{Op: op}, []setting{{authEnabled, on}}}
}

func addUser(u int) permissionChange {
	q := &clusternode.Auth{Op: protocol.OpUserAdd, Name: users[u], Other: password(users[u], false)}
	return permissionChange{q, []setting{{isUser(u), true}, {hasOther(u), false}}}
}

func deleteUser(u int) permissionChange {
	sets := []setting{{isUser(u), false}}
	for r := range roles {
		sets = append(sets, setting{hasRole(u, r), false})
	}
	return permissionChange{&clusternode.Auth{Op: protocol.OpUserDelete, Name: users[u]}, sets}
}

func addRole(r int) permissionChange {
	return permissionChange{&clusternode.Auth{Op: protocol.OpRoleAdd, Name: roles[r]}, []setting{{isRole(r), true}}}
}

func deleteRole(r int) permissionChange {
	sets := []setting{{isRole(r), false}}
	for u := range users {
		sets = append(sets, setting{hasRole(u, r), false})
	}
	for x := range rights {
		if rights[x].role == r {
			sets = append(sets, setting{hasRight(x), false})
		}
	}
	return permissionChange{&clusternode.Auth{Op: protocol.OpRoleDelete, Name: roles[r]}, sets}
}

func grant(u, r int, on bool) permissionChange {
	op := protocol.OpUserRevokeRole
	if on {
		op = protocol.OpUserGrantRole
	}
	return permissionChange{&clusternode.Auth{Op: op, Name: users[u], Other: roles[r]}, []setting{{hasRole(u, r), on}}}
}

func give(x int, on bool) permissionChange {
	op := protocol.OpRoleRevokePermission
	if on {
		op = protocol.OpRoleGrantPermission
	}
	return permissionChange{&clusternode.Auth{Op: op, Name: roles[rights[x].role], Permission: rights[x].Permission}, []setting{{hasRight(x), on}}}
}

func changePassword(u int, other bool) permissionChange {
	return permissionChange{&clusternode.Auth{Op: protocol.OpUserChangePassword, Name: users[u], Other: password(users[u], other)}, []setting{{hasOther(u), other}}}
}

// makeUser and makeRole are all changes that make one what it is at first.
func makeUser(u int) []permissionChange {
	all := []permissionChange{addUser(u)}
	if u < len(roles) {
		all = append(all, grant(u, u, true))
	}
	return all
}

func makeRole(r int) []permissionChange {
	all := []permissionChange{addRole(r)}
	for x := range rights {
		if rights[x].role == r {
			all = append(all, give(x, true))
		}
	}
	return all
}

// setUp makes all roles and users, and has etcd authenticate them.
func setUp() []permissionChange {
	all := []permissionChange{
		{&clusternode.Auth{Op: protocol.OpUserAdd, Name: root, Other: password(root, false)}, nil},
		{&clusternode.Auth{Op: protocol.OpRoleAdd, Name: root}, nil},
		{&clusternode.Auth{Op: protocol.OpUserGrantRole, Name: root, Other: root}, nil},
	}
	for r := range roles {
		all = append(all, makeRole(r)...)
	}
	for u := range users {
		all = append(all, makeUser(u)...)
	}
	return append(all, enable(true))
}

// permissions is how the operator changes what users may do. One change is under way at a time. One that is not
// answered is asked for again, and may come about at any time.
type permissions struct {
	root login
	// wanted is how many changes are still to be drawn, due are those that are drawn and not done yet.
	wanted int
	due    []permissionChange
	// holds are the facts as they are once what is due is done.
	holds [facts]bool
	// done are all that were asked for, in order, but those that were refused.
	done []asked
	// change is the call under way, at the place of the machine that is asked.
	change sim.Conn
	at     int
}

// asked is a change with the time of its call, and that of its answer.
type asked struct {
	sets         []setting
	call, answer int64
}

// coverChanged is that a run has done that.
var coverChanged = sim.NewCoveragePoint("cluster: what users may do is changed")

// setUpBefore takes it that users and roles are there when the run begins.
func (p *permissions) setUpBefore() {
	p.plan(setUp()...)
	for _, c := range p.due {
		p.done = append(p.done, asked{sets: c.sets})
	}
	p.due = p.due[:0]
}

func (p *permissions) plan(all ...permissionChange) {
	p.due = append(p.due, all...)
	for _, c := range all {
		for _, s := range c.sets {
			p.holds[s.fact] = s.holds
		}
	}
}

// drawPermissionChange draws one: what holds ends, and what does not is made so, with the user and the role that it
// needs.
func (p *permissions) drawPermissionChange(env *sim.Env) {
	of := fact(env.Choose(int(facts), "what is changed for users"))
	holds := p.holds[of]
	user := func(u int) {
		if !p.holds[isUser(u)] {
			p.plan(makeUser(u)...)
		}
	}
	role := func(r int) {
		if !p.holds[isRole(r)] {
			user(r)
			p.plan(append(makeRole(r), grant(r, r, true))...)
		}
	}
	switch n := int(of); {
	case of == authEnabled:
		p.plan(enable(!holds))
	case of < firstRole && holds:
		p.plan(deleteUser(n - int(firstUser)))
	case of < firstRole:
		user(n - int(firstUser))
	case of < firstGrant && holds:
		p.plan(deleteRole(n - int(firstRole)))
	case of < firstGrant:
		role(n - int(firstRole))
	case of < firstRight:
		u, r := (n-int(firstGrant))/len(roles), (n-int(firstGrant))%len(roles)
		user(u)
		role(r)
		p.plan(grant(u, r, !holds))
	case of < firstOther:
		x := n - int(firstRight)
		role(rights[x].role)
		p.plan(give(x, !holds))
	default:
		user(n - int(firstOther))
		p.plan(changePassword(n-int(firstOther), !holds))
	}
}

// changePermissions asks for the next change.
func (o *operator) changePermissions(env *sim.Env) {
	p := &o.permissions
	if p.root.conn != sim.NoConn || p.change != sim.NoConn {
		p.root.ends(env)
		env.Close(p.change)
		p.change = sim.NoConn
		p.at++
	}
	if len(p.due) == 0 && p.wanted > 0 && env.Now() < sim.Time(o.config.For) {
		p.wanted--
		env.Cover(coverChanged)
		p.drawPermissionChange(env)
	}
	if p.root.begins(env) {
		env.Arm(o.timerPermissions(), patience)
		return
	}
	if len(p.due) == 0 {
		return
	}
	env.Begin("permissions", len(p.done))
	p.done = append(p.done, asked{p.due[0].sets, env.Tick(), math.MaxInt64})
	p.change = env.Call(firstMember+sim.NodeID(p.at%o.config.machines()), p.root.gives(p.due[0].request))
	env.Arm(o.timerPermissions(), patience)
}

// takes takes an answer that is about what users may do, and reports whether it is one.
func (o *operator) takes(env *sim.Env, m *sim.Message) bool {
	p, timer := &o.permissions, o.timerPermissions()
	if is, after := p.root.takes(m); is {
		env.Arm(timer, after)
		return true
	}
	p.root.hears(env, m.Payload)
	if p.root.token == "" && !env.Armed(timer) {
		env.Arm(timer, 0)
	}
	if m.Conn != p.change {
		return false
	}
	p.change = sim.NoConn
	last := &p.done[len(p.done)-1]
	_, done := m.Payload.(*clusternode.Response)
	refused, is := m.Payload.(*wire.Error)
	switch {
	case done || is && clusternode.IsSo(refused):
		last.answer = env.Tick()
		p.due = p.due[1:]
	case is && refused.Code == wire.BadRequest:
		// Nothing has come of it.
		p.done = p.done[:len(p.done)-1]
		if !clusternode.WantsToken(refused.Message) {
			p.due = p.due[1:]
		}
	default:
		// It may be a machine without a member.
		p.at++
		env.Arm(timer, retry)
		return true
	}
	env.Arm(timer, 0)
	return true
}

// may says whether a fact held at some time from one tick to another one, as far as is known, and whether it did not.
func (p *permissions) may(of fact, from, to int64) (on, off bool) {
	// held says whether it did at first, late what it may have become, as the change was not answered by then.
	held, late := false, [2]bool{}
	for i := range p.done {
		c := &p.done[i]
		if c.call > to {
			break
		}
		for _, s := range c.sets {
			switch {
			case s.fact != of:
			case c.answer < from:
				held = s.holds
			case s.holds:
				late[1] = true
			default:
				late[0] = true
			}
		}
	}
	return held || late[1], !held || late[0]
}

// need is what a request needs: to read or to write a range of keys, or to be root.
type need struct {
	root, write bool
	key, end    string
}

// given reports whether a right has what is needed.
func (n *need) given(x *clusternode.Permission) bool {
	if n.root || n.write && x.Type == clusternode.Read || !n.write && x.Type == clusternode.Write {
		return false
	}
	if n.end == "" {
		return model.InRange(n.key, x.Key, x.End)
	}
	return x.End != "" && n.key >= x.Key && n.end != "\x00" && n.end <= x.End
}

// needs are what a request needs.
func needs(r *model.Request) (all []need) {
	switch r.Kind {
	case model.Compact:
		all = append(all, need{root: true})
	case model.Get, model.List:
		all = append(all, need{key: r.Key, end: r.End})
	case model.Put, model.Delete:
		all = append(all, need{write: true, key: r.Key, end: r.End})
		if r.PrevKV {
			all = append(all, need{key: r.Key, end: r.End})
		}
	case model.Txn:
		for _, c := range r.Compare {
			all = append(all, need{key: c.Key, end: c.End})
		}
		for _, branch := range [2][]model.Request{r.Success, r.Failure} {
			for i := range branch {
				all = append(all, needs(&branch[i])...)
			}
		}
	}
	return all
}

// forbids reports whether a user may certainly not do something at any time from one tick to another one.
func (p *permissions) forbids(u int, n need, from, to int64) bool {
	if _, off := p.may(authEnabled, from, to); off {
		return false
	}
	if is, _ := p.may(isUser(u), from, to); !is {
		return true
	}
	for x := range rights {
		if !n.given(&rights[x].Permission) {
			continue
		}
		granted, _ := p.may(hasRole(u, rights[x].role), from, to)
		given, _ := p.may(hasRight(x), from, to)
		if granted && given {
			return false
		}
	}
	return true
}
