package clusterbed

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// auditor asks, when nothing breaks any more, for the list of members, and then each of them in turn: to write, and to
// read. A question that is not answered is asked again. Then it asks all of them where they are, for their lists of
// members, and for the hash of their data at the last revision that all of them have.
type auditor struct {
	sim.Idle
	config     *Config
	caches     int
	firstCache sim.NodeID
	// questions follow from the list of members, at is the one under way. asked counts all that were asked.
	questions []question
	at, asked int
	conn      sim.Conn
	tick      int64

	// spans belong to operations.
	operations []model.Operation
	spans      []workload.Span
	// revision is the least that a member is at. The others are what members say of it, and their lists of members.
	revision                int64
	statuses, hashes, lists []answer
	alarms                  alarms
	// root asks most questions, the users of access what is theirs.
	root   login
	access access
}

// question is what a member is asked, or an API server.
type question struct {
	about subjectMatter
	to    int
	// alarm is the one that is disarmed.
	alarm clusternode.Alarm
	// of is the place of a user, or of a role.
	of int
}

// subjectMatter is what a question is about.
type subjectMatter uint8

const (
	// roster is the list of members, before there are questions to each.
	roster subjectMatter = iota
	// alarmed is which alarms there are. The next ones are asked where there is no space.
	alarmed
	refusal
	deletion
	compaction
	defragmentation
	armed
	disarming
	writes
	reads
	cached
	status
	listed
	hash
	// enabled is whether there is authentication. The next ones are what users and roles are, and what a user is
	// answered.
	enabled
	rolesOfUser
	rightsOfRole
	readsAs
	writesAs
)

// answer is what a member said.
type answer struct {
	member int
	clusternode.Response
}

const ask sim.Timer = 0

func (a *auditor) reset(c *Config, caches int, firstCache sim.NodeID) {
	*a = auditor{
		config: c, caches: caches, firstCache: firstCache, questions: a.questions[:0],
		operations: a.operations[:0], spans: a.spans[:0], hashes: a.hashes[:0], statuses: a.statuses[:0], lists: a.lists[:0],
	}
}

// done reports whether all questions were answered.
func (a *auditor) done() bool { return len(a.questions) > 0 && a.at == len(a.questions) }

// plan makes the questions to these members. A learner answers next to none, and nothing is asked where a bit of the
// disk has changed.
func (a *auditor) plan(env *sim.Env, members []clusternode.Listed) {
	var voters, all []int
	for place := range a.config.machines() {
		i := slices.IndexFunc(members, func(m clusternode.Listed) bool { return m.Place(a.config.machines()) == place })
		if i < 0 || lies(env, place) {
			continue
		}
		if all = append(all, place); !members[i].Learner {
			voters = append(voters, place)
		}
	}
	each := func(of []int, about ...subjectMatter) {
		for _, to := range of {
			for _, k := range about {
				a.questions = append(a.questions, question{about: k, to: to})
			}
		}
	}
	if a.config.Auth {
		a.planAccess(voters)
	}
	if a.alarms.voters = voters; a.config.watchesAlarms() {
		each(voters, alarmed)
	}
	each(voters, writes, reads)
	for i := range a.caches {
		a.questions = append(a.questions, question{about: cached, to: i})
	}
	each(all, status)
	each(voters, listed)
	each(voters, hash)
}

// question is what is asked next.
func (a *auditor) question() (to sim.NodeID, q question, p sim.Payload) {
	q = question{about: roster, to: a.asked % a.config.machines()}
	if len(a.questions) > 0 {
		q = a.questions[a.at]
	}
	to = firstMember + sim.NodeID(q.to)
	switch q.about {
	case alarmed, armed:
		p = &clusternode.Request{Op: protocol.OpAlarm}
	case deletion:
		p = &wire.DeleteRangeRequest{Key: prefix + "none"}
	case compaction:
		p = &wire.CompactionRequest{Revision: a.alarms.last, Physical: true}
	case defragmentation:
		p = &clusternode.Request{Op: protocol.OpDefragment}
	case disarming:
		p = &clusternode.Request{Op: protocol.OpAlarm, Action: deactivate, Member: q.alarm.Member, Alarm: q.alarm.Alarm}
	case refusal, writes:
		p = &wire.PutRequest{Key: prefix + "audit", Value: "audit:" + strconv.Itoa(len(a.operations)+1)}
	case reads:
		p = everything()
	case cached:
		to = a.firstCache + sim.NodeID(q.to)
		p = &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	case status:
		p = &clusternode.Request{Op: protocol.OpStatus}
	case roster, listed:
		p = &clusternode.Request{Op: protocol.OpMemberList, Flag: true}
	case hash:
		p = &clusternode.Request{Op: protocol.OpHashKV, Revision: a.revision}
	case enabled:
		p = &clusternode.Auth{Op: protocol.OpAuthStatus}
	case rolesOfUser:
		p = &clusternode.Auth{Op: protocol.OpUserGet, Name: users[q.of]}
	case rightsOfRole:
		p = &clusternode.Auth{Op: protocol.OpRoleGet, Name: roles[q.of]}
	case readsAs:
		p = &wire.RangeRequest{Key: tried, Serializable: true}
	case writesAs:
		p = &wire.PutRequest{Key: tried, Value: "audit:" + strconv.Itoa(len(a.operations)+1)}
	}
	return to, q, p
}

// settled is how long the auditor waits after the last fault, and for what it has written to be everywhere.
const settled = 300 * time.Millisecond

// Start implements sim.Node.
func (a *auditor) Start(env *sim.Env) { env.Arm(ask, a.config.For+settled) }

// Fire implements sim.Node.
func (a *auditor) Fire(env *sim.Env, _ sim.Timer) {
	if a.done() {
		return
	}
	if !env.Node(a.operator()).(*operator).settled(env.Now()) {
		env.Arm(ask, settled)
		return
	}
	if a.conn != sim.NoConn {
		env.Close(a.conn)
	}
	to, q, p := a.question()
	as := a.asks(&q)
	if as.begins(env) {
		return
	}
	env.Begin("audit", a.at)
	a.asked++
	a.tick = env.Tick()
	a.conn = env.Call(to, as.gives(p))
	switch q.about {
	case roster:
		// It may have been removed.
		env.Arm(ask, patience)
	case writes, reads, cached, refusal, deletion, compaction, writesAs:
		a.operations = append(a.operations, model.Operation{
			Call: a.tick, Return: math.MaxInt64, Request: workload.Request(p), Outcome: model.Unknown,
		})
		a.spans = append(a.spans, workload.Span{Call: env.Now()})
	}
}

// firstStatus is the place of the first question about where a member is.
func (a *auditor) firstStatus() int {
	return slices.IndexFunc(a.questions, func(q question) bool { return q.about == status })
}

// operator is the node of the operator.
func (a *auditor) operator() sim.NodeID {
	return a.firstCache + sim.NodeID(a.caches*(1+a.config.Readers)+a.config.Holders)
}

// Receive implements sim.Node.
func (a *auditor) Receive(env *sim.Env, m *sim.Message) {
	if a.done() {
		return
	}
	_, q, _ := a.question()
	as := a.asks(&q)
	if is, after := as.takes(m); is {
		env.Arm(ask, after)
		return
	}
	if m.Conn != a.conn {
		return
	}
	a.conn = sim.NoConn
	as.hears(env, m.Payload)
	op := func() *model.Operation { return &a.operations[len(a.operations)-1] }
	answered := func(r *model.Result) {
		op().Outcome, op().Return, op().Result = model.Done, env.Tick(), r
		a.spans[len(a.spans)-1].Return = env.Now()
		a.at++
	}
	switch p := m.Payload.(type) {
	case *wire.PutResponse:
		if q.about == refusal {
			a.alarms.written = append(a.alarms.written, q.to)
		}
		if q.about == writesAs {
			a.tried(&q, true)
		}
		answered(&model.Result{Revision: p.Revision})
	case *wire.DeleteRangeResponse:
		answered(&model.Result{Revision: p.Revision, Deleted: p.Deleted})
	case *wire.CompactionResponse:
		answered(&model.Result{Revision: p.Revision})
	case *wire.RangeResponse:
		if q.about == readsAs {
			a.tried(&q, true)
			a.at++
			break
		}
		a.alarms.last = p.Revision
		answered(read(p.Revision, p.Kvs))
	case *wire.ListResponse:
		answered(read(p.ResourceVersion, p.Items))
	case *clusternode.Response:
		a.take(env, q, p)
	case *wire.Error:
		switch {
		case (q.about == rolesOfUser || q.about == rightsOfRole) && clusternode.IsSo(p):
			a.access.note("no such user or role")
			a.at++
			env.Arm(ask, 0)
			return
		case (q.about == readsAs || q.about == writesAs) && p.Code == wire.BadRequest:
			if q.about == writesAs {
				op().Outcome, op().Return = model.Failed, env.Tick()
			}
			if clusternode.IsDenied(p) && a.refused() {
				a.tried(&q, false)
				a.at++
			}
			env.Arm(ask, retry)
			return
		}
		if q.about == refusal && clusternode.IsFull(p) || q.about == compaction && p.Code == wire.ErrCompacted {
			if q.about == refusal {
				env.Cover(coverFull)
				a.alarms.refused++
			} else {
				op().Outcome, op().Return = model.Failed, env.Tick()
				a.spans[len(a.spans)-1].Return = env.Now()
			}
			a.at++
			env.Arm(ask, 0)
			return
		}
		if q.about == writes && clusternode.IsFull(p) {
			// The audit itself has filled the database. The alarm comes a moment later.
			a.relieve()
		}
		if q.about == hash && p.Code == wire.ErrCompacted {
			// A client has compacted meanwhile: another revision has to be found.
			a.at, a.hashes, a.statuses, a.lists = a.firstStatus(), a.hashes[:0], a.statuses[:0], a.lists[:0]
		}
		env.Arm(ask, 10*retry)
		return
	default:
		env.Arm(ask, 10*retry)
		return
	}
	if a.at == a.firstStatus() {
		// The last write reaches all of them meanwhile.
		env.Arm(ask, settled)
		return
	}
	env.Arm(ask, 0)
}

// take takes what a member says.
func (a *auditor) take(env *sim.Env, q question, p *clusternode.Response) {
	said := answer{q.to, *p}
	if q.about == roster {
		a.plan(env, p.Members)
		return
	}
	switch a.at++; q.about {
	case enabled, rolesOfUser, rightsOfRole:
		a.access.take(&q, p)
	case alarmed:
		a.alarms.lists = append(a.alarms.lists, said)
		if slices.ContainsFunc(p.Alarms, func(l clusternode.Alarm) bool { return l.Alarm == corrupt }) {
			// No member takes a write any more.
			env.Cover(coverCorrupt)
			a.questions = a.questions[:a.at]
			return
		}
		if a.questions[a.at].about != alarmed && slices.ContainsFunc(p.Alarms, func(l clusternode.Alarm) bool { return l.Alarm == noSpace }) {
			a.relieve()
		}
	case armed:
		a.disarm(p.Alarms)
	case status:
		if len(a.statuses) == 0 || p.Revision < a.revision {
			a.revision = p.Revision
		}
		a.statuses = append(a.statuses, said)
	case listed:
		a.lists = append(a.lists, said)
		if slices.ContainsFunc(p.Members, func(m clusternode.Listed) bool {
			return !slices.Equal(m.URLs, []string{clusternode.URL(m.Place(a.config.machines()))})
		}) {
			env.Cover(coverMoved)
		}
	case hash:
		// Releases of 3.5 do not say which revision a hash is of.
		said.Revision = a.revision
		a.hashes = append(a.hashes, said)
	}
}

// lies reports whether a bit of the disk of a member has changed.
func lies(env *sim.Env, place int) bool {
	return env.Node(firstMember + sim.NodeID(place)).(*clusternode.Node).Lies
}

// read is the result of a read of everything.
func read(revision int64, kvs []*wire.KeyValue) *model.Result {
	r := &model.Result{Revision: revision, Count: int64(len(kvs))}
	for _, kv := range kvs {
		item := workload.Item(kv)
		r.Items = append(r.Items, &item)
	}
	return r
}

// TimerName implements sim.Node.
func (*auditor) TimerName(sim.Timer) string { return "next question" }
