package clusternode

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Request is a request of etcd's Maintenance or Cluster API. Fields that its operation does not have are zero.
type Request struct {
	// Op is one of protocol's.
	Op byte
	// Revision is that of OpHashKV, Member that of OpMoveLeader, OpMemberRemove, OpMemberPromote and OpMemberUpdate.
	Revision int64
	Member   uint64
	// Flag is linearizable of OpMemberList, learner of OpMemberAdd.
	Flag bool
	// Action is that of OpAlarm and OpDowngrade, Alarm that of OpAlarm, Text the URLs of OpMemberAdd and
	// OpMemberUpdate, with blanks between them, and the version of OpDowngrade.
	Action, Alarm byte
	Text          string
}

// operations are what requests are called.
var operations = map[byte]string{
	protocol.OpStatus: "Status", protocol.OpHashKV: "HashKV", protocol.OpMoveLeader: "MoveLeader",
	protocol.OpDefragment: "Defragment", protocol.OpAlarm: "Alarm", protocol.OpMemberList: "MemberList", protocol.OpMemberAdd: "MemberAdd",
	protocol.OpMemberRemove: "MemberRemove", protocol.OpMemberPromote: "MemberPromote", protocol.OpMemberUpdate: "MemberUpdate", protocol.OpDowngrade: "Downgrade",
	protocol.OpAuthEnable: "AuthEnable", protocol.OpAuthDisable: "AuthDisable", protocol.OpAuthStatus: "AuthStatus", protocol.OpAuthenticate: "Authenticate",
	protocol.OpUserAdd: "UserAdd", protocol.OpUserDelete: "UserDelete", protocol.OpUserChangePassword: "UserChangePassword",
	protocol.OpUserGrantRole: "UserGrantRole", protocol.OpUserRevokeRole: "UserRevokeRole", protocol.OpUserGet: "UserGet", protocol.OpUserList: "UserList",
	protocol.OpRoleAdd: "RoleAdd", protocol.OpRoleDelete: "RoleDelete", protocol.OpRoleGrantPermission: "RoleGrantPermission",
	protocol.OpRoleRevokePermission: "RoleRevokePermission", protocol.OpRoleGet: "RoleGet", protocol.OpRoleList: "RoleList",
}

// Digest implements sim.Payload.
func (q *Request) Digest(d sim.Digest) sim.Digest {
	return d.Text("request").Word(uint64(q.Op)).Int(q.Revision).Word(q.Member).Bool(q.Flag).Word(uint64(q.Action)).Word(uint64(q.Alarm)).Text(q.Text)
}

// Label implements sim.Payload.
func (q *Request) Label() string {
	text := operations[q.Op]
	if q.Revision != 0 {
		text += fmt.Sprintf(" at revision %d", q.Revision)
	}
	if q.Member != 0 {
		text += fmt.Sprintf(" %x", q.Member)
	}
	return strings.TrimSpace(text + " " + q.Text)
}

func (q *Request) write(w *protocol.Writer) {
	w.Byte(q.Op)
	switch q.Op {
	case protocol.OpHashKV:
		w.Int(q.Revision)
	case protocol.OpMoveLeader, protocol.OpMemberRemove, protocol.OpMemberPromote:
		w.Int(int64(q.Member))
	case protocol.OpAlarm:
		w.Byte(q.Action).Int(int64(q.Member)).Byte(q.Alarm)
	case protocol.OpMemberList:
		w.Bool(q.Flag)
	case protocol.OpMemberAdd:
		writeTexts(w, strings.Fields(q.Text)).Bool(q.Flag)
	case protocol.OpMemberUpdate:
		writeTexts(w.Int(int64(q.Member)), strings.Fields(q.Text))
	case protocol.OpDowngrade:
		w.Byte(q.Action).Text(q.Text)
	}
}

// Response answers a Request.
type Response struct {
	Op byte
	// Revision is that of the header, and of OpHashKV the revision of the hash where the release has it.
	Revision int64
	// Status is of OpStatus, Hash and Compacted of OpHashKV, Members of the Cluster API, Alarms of OpAlarm.
	Status          Status
	Hash, Compacted int64
	Members         []Listed
	Alarms          []Alarm
	// Text is the version of OpDowngrade, and the token of OpAuthenticate.
	Text string
	// Enabled is of OpAuthStatus, whose Revision is that of the users and roles, Names of OpUserGet, OpUserList and
	// OpRoleList, Permissions of OpRoleGet.
	Enabled     bool
	Names       []string
	Permissions []Permission
}

// Status is what a member says of itself.
type Status struct {
	Version              string
	Leader               uint64
	Index, Term, Applied int64
	Size                 int64
	Learner              bool
	Errors               []string
}

// Listed is a member in a list.
type Listed struct {
	ID      uint64
	Name    string
	Learner bool
	URLs    []string
}

// Place is where the member is, among so many, -1 if it is at none of them.
func (m *Listed) Place(places int) int { return PlaceOf(m.URLs[0], places) }

// Alarm is an alarm that a member has raised.
type Alarm struct {
	Member uint64
	Alarm  byte
}

// Digest implements sim.Payload.
func (p *Response) Digest(d sim.Digest) sim.Digest {
	s := &p.Status
	d = d.Text("response").Word(uint64(p.Op)).Int(p.Revision).Int(p.Hash).Int(p.Compacted).Text(p.Text).
		Text(s.Version).Word(s.Leader).Int(s.Index).Int(s.Term).Int(s.Applied).Int(s.Size).Bool(s.Learner).Int(int64(len(s.Errors)))
	for _, e := range s.Errors {
		d = d.Text(e)
	}
	for _, m := range p.Members {
		d = d.Word(m.ID).Text(m.Name).Bool(m.Learner)
		for _, url := range m.URLs {
			d = d.Text(url)
		}
	}
	for _, a := range p.Alarms {
		d = d.Word(a.Member).Word(uint64(a.Alarm))
	}
	if p.Enabled {
		d = d.Bool(p.Enabled)
	}
	for _, name := range p.Names {
		d = d.Text(name)
	}
	for _, x := range p.Permissions {
		d = x.digest(d)
	}
	return d
}

// Label implements sim.Payload.
func (p *Response) Label() string {
	switch s := &p.Status; p.Op {
	case protocol.OpStatus:
		text := fmt.Sprintf("revision %d, leader %x, term %d, index %d, applied %d", p.Revision, s.Leader, s.Term, s.Index, s.Applied)
		if len(s.Errors) > 0 {
			text += ", " + strings.Join(s.Errors, ", ")
		}
		return text
	case protocol.OpHashKV:
		return fmt.Sprintf("hash %08x of revision %d, compacted %d", uint32(p.Hash), p.Revision, p.Compacted)
	case protocol.OpAuthStatus:
		return fmt.Sprintf("authentication enabled: %v, revision %d", p.Enabled, p.Revision)
	default:
		return operations[p.Op] + " done"
	}
}

// As is a request of a user, with the token that the user has.
type As struct {
	sim.Payload
	User, Token string
}

// Digest implements sim.Payload.
func (m *As) Digest(d sim.Digest) sim.Digest {
	return m.Payload.Digest(d.Text("as").Text(m.User).Text(m.Token))
}

// Label implements sim.Payload.
func (m *As) Label() string { return m.Payload.Label() + " as " + m.User }

// readResponse reads the answer to any operation that a client asks a member for.
func readResponse(r *protocol.Reader) sim.Payload {
	op := r.Bytes[0]
	switch op {
	case protocol.OpRange, protocol.OpPut, protocol.OpDeleteRange, protocol.OpTxn:
		return node.ReadDid(r)
	}
	r.Byte()
	p := &Response{Op: op}
	switch op {
	case protocol.OpGrant:
		return &wire.LeaseGrantResponse{Revision: r.Int(), ID: r.Int(), TTL: r.Int()}
	case protocol.OpRevoke:
		return &wire.LeaseRevokeResponse{Revision: r.Int()}
	case protocol.OpKeepAlive:
		return &wire.LeaseKeepAliveResponse{Revision: r.Int(), ID: r.Int(), TTL: r.Int()}
	case protocol.OpTimeToLive:
		l := &wire.LeaseTimeToLiveResponse{Revision: r.Int(), ID: r.Int(), TTL: r.Int(), GrantedTTL: r.Int()}
		for range r.Int() {
			l.Keys = append(l.Keys, r.Text())
		}
		return l
	case protocol.OpCompact:
		return &wire.CompactionResponse{Revision: r.Int()}
	case protocol.OpMoveLeader:
		p.Revision = r.Int()
	case protocol.OpStatus:
		p.Revision = r.Int()
		s := &p.Status
		s.Version, s.Size, s.Leader = r.Text(), r.Int(), uint64(r.Int())
		s.Index, s.Term, s.Applied, s.Learner = r.Int(), r.Int(), r.Int(), r.Bool()
		for range r.Int() {
			s.Errors = append(s.Errors, r.Text())
		}
	case protocol.OpHashKV:
		p.Revision, p.Hash, p.Compacted = r.Int(), r.Int(), r.Int()
		if rev := r.Int(); rev != 0 {
			p.Revision = rev
		}
	case protocol.OpAlarm:
		for range r.Int() {
			p.Alarms = append(p.Alarms, Alarm{uint64(r.Int()), r.Byte()})
		}
	case protocol.OpMemberAdd:
		r.Int()
		p.Members = readMembers(r)
	case protocol.OpMemberList, protocol.OpMemberRemove, protocol.OpMemberPromote, protocol.OpMemberUpdate:
		p.Members = readMembers(r)
	case protocol.OpDowngrade, protocol.OpAuthenticate:
		p.Text = r.Text()
	case protocol.OpAuthStatus:
		p.Enabled, p.Revision = r.Bool(), r.Int()
	case protocol.OpUserGet, protocol.OpUserList, protocol.OpRoleList:
		for range r.Int() {
			p.Names = append(p.Names, r.Text())
		}
	case protocol.OpRoleGet:
		for range r.Int() {
			p.Permissions = append(p.Permissions, Permission{r.Byte(), r.Text(), r.Text()})
		}
	}
	return p
}

func readMembers(r *protocol.Reader) (all []Listed) {
	for range r.Int() {
		m := Listed{ID: uint64(r.Int()), Name: r.Text(), Learner: r.Bool()}
		for range r.Int() {
			m.URLs = append(m.URLs, r.Text())
		}
		for range r.Int() {
			r.Text()
		}
		all = append(all, m)
	}
	return all
}

func writeTexts(w *protocol.Writer, all []string) *protocol.Writer {
	w.Int(int64(len(all)))
	for _, text := range all {
		w.Text(text)
	}
	return w
}

// writeRequest writes the operation that a client asks a member for. It reports whether p is one.
func writeRequest(w *protocol.Writer, p sim.Payload) bool {
	switch p := p.(type) {
	case *Request:
		p.write(w)
	case *Auth:
		p.write(w)
	case *wire.StatusRequest:
		w.Byte(protocol.OpStatus)
	case *wire.CompactionRequest:
		w.Byte(protocol.OpCompact).Int(p.Revision).Bool(p.Physical)
	case *wire.LeaseGrantRequest:
		w.Byte(protocol.OpGrant).Int(p.ID).Int(p.TTL)
	case *wire.LeaseRevokeRequest:
		w.Byte(protocol.OpRevoke).Int(p.ID)
	case *wire.LeaseKeepAliveRequest:
		w.Byte(protocol.OpKeepAlive).Int(p.ID)
	case *wire.LeaseTimeToLiveRequest:
		w.Byte(protocol.OpTimeToLive).Int(p.ID).Bool(p.Keys)
	default:
		return node.WriteOp(w, p)
	}
	return true
}
