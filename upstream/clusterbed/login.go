package clusterbed

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// login has the token of a user, as clientv3 has it: where a request is refused for its token, the next one goes with a
// new token. Without a user there is none.
type login struct {
	user string
	// home is the place of the member that is asked first, members how many there are.
	home, members int

	token string
	// since is when the token was asked for, 0 if there is none. A member that takes it has applied what was answered
	// before.
	since int64
	// other: the password is tried that the user has after a change, or before. tried counts those that were refused on
	// end.
	other bool
	tried int
	// bare: etcd has no authentication, or no such user. One request goes without a token.
	bare bool
	// asked counts requests for a token, conn is the one under way.
	asked int
	conn  sim.Conn
}

// What can happen to the token of a user.
var (
	coverRenewed = sim.NewCoveragePoint("cluster: a request is refused for its token")
	coverDenied  = sim.NewCoveragePoint("cluster: a request is refused for what its user may do")
)

// passwords of a user are a first one, and another one.
func password(user string, other bool) string {
	if other {
		return user + "-other"
	}
	return user + "-first"
}

// begins asks for a token if a request needs one first, and reports whether it does.
func (l *login) begins(env *sim.Env) bool {
	if l.user == "" || l.token != "" || l.bare {
		return false
	}
	env.Begin("login", l.asked)
	l.since = env.Tick()
	l.conn = env.Call(firstMember+sim.NodeID((l.home+l.asked)%l.members), &clusternode.Auth{Op: protocol.OpAuthenticate, Name: l.user, Other: password(l.user, l.other)})
	l.asked++
	return true
}

// takes takes the answer to a request for a token, and reports whether a message is one. Then the request that waits
// for the token is made again after some time.
func (l *login) takes(m *sim.Message) (is bool, after sim.Duration) {
	if l.conn == sim.NoConn || m.Conn != l.conn {
		return false, 0
	}
	l.conn = sim.NoConn
	switch p := m.Payload.(type) {
	case *clusternode.Response:
		l.token, l.tried = p.Text, 0
		return true, 0
	case *wire.Error:
		if p.Code == wire.BadRequest {
			if clusternode.IsDisabled(p) {
				l.bare = true
				return true, 0
			}
			l.other = !l.other
			l.tried++
			l.bare = l.tried%2 == 0
			return true, 0
		}
	}
	return true, retry
}

// gives takes a request to be one of the user's.
func (l *login) gives(p sim.Payload) sim.Payload {
	if l.bare = false; l.token == "" {
		l.since = 0
		return p
	}
	return &clusternode.As{Payload: p, User: l.user, Token: l.token}
}

// hears takes it that a request was refused.
func (l *login) hears(env *sim.Env, p sim.Payload) {
	refused, is := p.(*wire.Error)
	switch {
	case !is || l.user == "":
	case clusternode.WantsToken(refused.Message):
		env.Cover(coverRenewed)
		l.token = ""
	case clusternode.IsDenied(refused):
		env.Cover(coverDenied)
	}
}

// ends gives up a request for a token.
func (l *login) ends(env *sim.Env) {
	if l.conn != sim.NoConn {
		env.Close(l.conn)
		l.conn = sim.NoConn
	}
}

// session is a client that is a user.
type session struct {
	*workload.Client
	login
	// tokens are when those of the operations were asked for.
	tokens []int64
}

// Fire implements sim.Node.
func (s *session) Fire(env *sim.Env, t sim.Timer) {
	if !s.begins(env) {
		s.Client.Fire(env, t)
		s.tokens = append(s.tokens, s.since)
	}
}

// Receive implements sim.Node.
func (s *session) Receive(env *sim.Env, m *sim.Message) {
	if is, after := s.takes(m); is {
		env.Arm(ask, after)
		return
	}
	s.hears(env, m.Payload)
	s.Client.Receive(env, m)
}
