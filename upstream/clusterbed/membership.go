package clusterbed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// membership is how the operator changes the members. One change is under way at a time, and is brought to its end:
// whenever the operator has been answered, or has not been for some time, it asks for the list of members, and for the
// next thing that is not so yet. What is refused is asked for again.
type membership struct {
	// queued is how many changes are still to begin, goals are those of the one under way that have not been reached.
	queued int
	goals  []goal
	// ids are the members that there were beside the initial ones.
	ids []uint64
	// at is the place of the member that is asked, conn the call, changing the request if that is a change.
	at       int
	conn     sim.Conn
	changing bool
}

// goal is what a change is to reach: that a member runs at a place, that it votes, or that there is no member with this
// id. In a disaster a machine is lost, or its member becomes a cluster by itself.
type goal struct {
	of      purpose
	place   int
	id      uint64
	learner bool
}

type purpose uint8

const (
	added purpose = iota
	promoted
	removed
	lost
	forced
)

func (g goal) String() string {
	switch g.of {
	case added:
		return "add " + memberName(g.place)
	case promoted:
		return "promote " + memberName(g.place)
	case lost:
		return "lose " + memberName(g.place)
	case forced:
		return "make a cluster of " + memberName(g.place)
	default:
		return fmt.Sprintf("remove %s (%x)", memberName(g.place), g.id)
	}
}

// What can become of the members.
var (
	coverAdded    = sim.NewCoveragePoint("cluster: a member is added that votes")
	coverLearner  = sim.NewCoveragePoint("cluster: a learner is added")
	coverPromoted = sim.NewCoveragePoint("cluster: a learner is promoted")
	coverRemoved  = sim.NewCoveragePoint("cluster: a member is removed")
	coverLost     = sim.NewCoveragePoint("cluster: a machine is lost for ever")
	coverForced   = sim.NewCoveragePoint("cluster: one member becomes a cluster by itself")
	coverMoved    = sim.NewCoveragePoint("cluster: a member is listed with other URLs than it began with")
	coverRefused  = sim.NewCoveragePoint("cluster: a change of the members is refused")
)

const (
	// pace is how long the operator waits between two steps of a change, patience how long for an answer.
	pace     = 200 * time.Millisecond
	patience = time.Second
)

// settled reports whether no change is under way, and none begins any more.
func (o *operator) settled(now sim.Time) bool {
	p := &o.permissions
	return o.reached(now) && len(p.due) == 0 && (p.wanted == 0 || now >= sim.Time(o.config.For))
}

// reached reports that of changes of the members.
func (o *operator) reached(now sim.Time) bool {
	m := &o.membership
	return len(m.goals) == 0 && (m.queued == 0 || now >= sim.Time(o.config.For))
}

// disaster has all machines be lost but one, whose member becomes a cluster by itself, to which the others are added
// again.
func (o *operator) disaster(env *sim.Env, survivor int) {
	var all, again []goal
	for place := range o.config.Members {
		if place != survivor {
			all = append(all, goal{of: lost, place: place})
			again = append(again, goal{of: added, place: place})
		}
	}
	o.goals = append(append(all, goal{of: forced, place: survivor}), again...)
	env.Arm(timerMembership, 0)
}

// reconcile asks for the list of members, if a change is under way or begins.
func (o *operator) reconcile(env *sim.Env) {
	m := &o.membership
	if m.conn != sim.NoConn {
		env.Close(m.conn)
		m.conn = sim.NoConn
		m.at++
	}
	if o.reached(env.Now()) {
		return
	}
	if len(m.goals) > 0 && m.goals[0].of >= lost {
		o.ask(env, m.goals[0].place, &clusternode.Disaster{Survives: m.goals[0].of == forced})
		return
	}
	// A member that has been added to one by itself is needed for a majority before it has been told to start.
	o.ask(env, m.at, &clusternode.Request{Op: protocol.OpMemberList, Flag: o.config.Faults.ForceNewClusters == 0})
}

func (o *operator) ask(env *sim.Env, place int, p sim.Payload) {
	env.Begin("membership", place)
	q, asks := p.(*clusternode.Request)
	o.membership.changing = asks && q.Op != protocol.OpMemberList
	if asks {
		p = o.permissions.root.gives(p)
	}
	o.membership.conn = env.Call(firstMember+sim.NodeID(place%o.config.machines()), p)
	env.Arm(timerMembership, patience)
}

// Receive implements sim.Node.
func (o *operator) Receive(env *sim.Env, message *sim.Message) {
	m := &o.membership
	if o.config.Auth && o.takes(env, message) {
		return
	}
	if message.Conn != m.conn {
		return
	}
	m.conn = sim.NoConn
	env.Arm(timerMembership, pace)
	p, ok := message.Payload.(*clusternode.Response)
	switch {
	case len(m.goals) > 0 && m.goals[0].of >= lost:
		if _, done := message.Payload.(*clusternode.Joined); done {
			env.Cover(m.goals[0].reached())
			m.goals = m.goals[1:]
		}
	case !ok:
		if m.changing {
			env.Cover(coverRefused)
		}
		if _, done := message.Payload.(*clusternode.Joined); !done {
			m.at++
		}
	case p.Op == protocol.OpMemberList:
		m.meet(p.Members)
		o.goOn(env, p.Members)
	}
}

// meet notes the members that there are.
func (m *membership) meet(members []clusternode.Listed) {
	for _, l := range members {
		if !slices.Contains(m.ids, l.ID) {
			m.ids = append(m.ids, l.ID)
		}
	}
}

// goOn does what is to be done next with these members.
func (o *operator) goOn(env *sim.Env, members []clusternode.Listed) {
	m := &o.membership
	if o.reached(env.Now()) {
		return
	}
	if len(m.goals) == 0 {
		m.queued--
		m.goals = o.drawChange(env, members)
	}
	for len(m.goals) > 0 {
		g := m.goals[0]
		p, at := g.next(members, o.config.machines())
		if p != nil {
			if at < 0 {
				at = m.at
			}
			o.ask(env, at, p)
			return
		}
		env.Cover(g.reached())
		m.goals = m.goals[1:]
	}
}

// next is what is to be asked for, nil if the goal is reached. The place is that of the machine that is asked, -1 for
// any member.
func (g *goal) next(members []clusternode.Listed, machines int) (p sim.Payload, place int) {
	i := slices.IndexFunc(members, func(m clusternode.Listed) bool { return m.Place(machines) == g.place })
	switch {
	case g.of == removed:
		if !slices.ContainsFunc(members, func(m clusternode.Listed) bool { return m.ID == g.id }) {
			return nil, 0
		}
		return &clusternode.Request{Op: protocol.OpMemberRemove, Member: g.id}, -1
	case i < 0:
		return &clusternode.Request{Op: protocol.OpMemberAdd, Text: clusternode.URL(g.place), Flag: g.learner}, -1
	case g.of == promoted && members[i].Learner:
		return &clusternode.Request{Op: protocol.OpMemberPromote, Member: members[i].ID}, -1
	case members[i].Name == "":
		// It has not told the others of itself.
		join := &clusternode.Join{ID: members[i].ID}
		for _, m := range members {
			join.Places = append(join.Places, m.Place(machines))
		}
		return join, g.place
	}
	return nil, 0
}

// reached is the coverage point of a goal that is reached.
func (g *goal) reached() sim.CoveragePoint {
	switch {
	case g.of == lost:
		return coverLost
	case g.of == forced:
		return coverForced
	case g.of == promoted:
		return coverPromoted
	case g.of == removed:
		return coverRemoved
	case g.learner:
		return coverLearner
	}
	return coverAdded
}

// drawChange draws a change: a member more, one for another one, or one less.
func (o *operator) drawChange(env *sim.Env, members []clusternode.Listed) []goal {
	var free, taken []int
	ids := map[int]uint64{}
	for place := range o.config.machines() {
		if i := slices.IndexFunc(members, func(m clusternode.Listed) bool { return m.Place(o.config.machines()) == place }); i >= 0 {
			ids[place] = members[i].ID
			taken = append(taken, place)
		} else {
			free = append(free, place)
		}
	}
	remove := func() goal {
		place := taken[env.Choose(len(taken), "member that is removed")]
		return goal{of: removed, place: place, id: ids[place]}
	}
	add := func(place int) []goal {
		if env.Choose(2, "voter that is added") == 1 {
			return []goal{{of: added, place: place}}
		}
		return []goal{{of: added, place: place, learner: true}, {of: promoted, place: place}}
	}
	from := func() int { return free[env.Choose(len(free), "machine that is added")] }
	var ways []func() []goal
	if len(free) > 0 {
		ways = append(ways,
			func() []goal { return add(from()) },
			func() []goal { return append(add(from()), remove()) })
		if len(taken) > 2 {
			ways = append(ways, func() []goal { return append([]goal{remove()}, add(from())...) })
		}
	}
	if len(taken) > 2 {
		ways = append(ways, func() []goal {
			r := remove()
			return append([]goal{r}, add(r.place)...)
		})
	}
	if len(taken) > 3 {
		ways = append(ways, func() []goal { return []goal{remove()} })
	}
	if len(ways) == 0 {
		return nil
	}
	return ways[env.Choose(len(ways), "change of the members")]()
}

// state says what the operator waits for.
func (o *operator) state() string {
	var all []string
	for _, g := range o.goals {
		all = append(all, g.String())
	}
	for _, c := range o.permissions.due {
		all = append(all, c.request.Label())
	}
	return strings.Join(all, ", then ")
}
