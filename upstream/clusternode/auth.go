package clusternode

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Auth is a request of etcd's Auth API. Fields that its operation does not have are zero.
type Auth struct {
	// Op is one of protocol's.
	Op byte
	// Name is that of the user, or of the role if there is no user. Other is the password, or the role of a user.
	Name, Other string
	// Permission is the one that is granted or revoked.
	Permission Permission
}

// Permission is what a role may do with a range of keys. Type is authpb's.
type Permission struct {
	Type     byte
	Key, End string
}

// Types of permissions, as authpb has them.
const (
	Read byte = iota
	Write
	ReadWrite
)

func (x *Permission) digest(d sim.Digest) sim.Digest {
	return d.Word(uint64(x.Type)).Text(x.Key).Text(x.End)
}

// String says what is permitted.
func (x Permission) String() string {
	text := [...]string{"read", "write", "read and write"}[x.Type] + " " + x.Key
	if x.End != "" {
		text += " to " + x.End
	}
	return text
}

// Digest implements sim.Payload.
func (q *Auth) Digest(d sim.Digest) sim.Digest {
	return q.Permission.digest(d.Text("auth").Word(uint64(q.Op)).Text(q.Name).Text(q.Other))
}

// Label implements sim.Payload.
func (q *Auth) Label() string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s %s", operations[q.Op], q.Name, q.Other))
	if q.Permission != (Permission{}) {
		text += ": " + q.Permission.String()
	}
	return text
}

func (q *Auth) write(w *protocol.Writer) {
	x := &q.Permission
	switch w.Byte(q.Op); q.Op {
	case protocol.OpUserDelete, protocol.OpUserGet, protocol.OpRoleAdd, protocol.OpRoleDelete, protocol.OpRoleGet:
		w.Text(q.Name)
	case protocol.OpAuthenticate, protocol.OpUserAdd, protocol.OpUserChangePassword, protocol.OpUserGrantRole, protocol.OpUserRevokeRole:
		w.Text(q.Name).Text(q.Other)
	case protocol.OpRoleGrantPermission:
		w.Text(q.Name).Byte(x.Type).Text(x.Key).Text(x.End)
	case protocol.OpRoleRevokePermission:
		w.Text(q.Name).Text(x.Key).Text(x.End)
	}
}

// Texts of errors of authentication, as package rpctypes has them.
const (
	invalidToken = "etcdserver: invalid auth token"
	oldRevision  = "etcdserver: revision of auth store is old"
	noUser       = "etcdserver: user name is empty"
	denied       = "etcdserver: permission denied"
	disabled     = "etcdserver: authentication is not enabled"
)

// WantsToken reports whether a request is refused until its user has another token.
func WantsToken(message string) bool {
	return strings.HasSuffix(message, invalidToken) || strings.HasSuffix(message, oldRevision) || strings.HasSuffix(message, noUser)
}

// IsDenied reports whether a request is refused as its user may not ask for that.
func IsDenied(p *wire.Error) bool { return p.Message == denied || p.Message == noUser }

// IsDisabled reports whether there is no authentication.
func IsDisabled(p *wire.Error) bool { return p.Message == disabled }

// IsSo reports whether a change of users or roles is refused as that is so already.
func IsSo(p *wire.Error) bool {
	for _, so := range []string{"already exists", "name not found", "not granted to the user", "not granted to the role"} {
		if strings.HasSuffix(p.Message, so) {
			return true
		}
	}
	return false
}
