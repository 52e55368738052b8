package apiserver

import (
	"context"
	"errors"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/storage"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// memberSeparator stands between the members of a value, of which updates add one, and for
// which the validation of a deletion looks.
const memberSeparator = "+"

// Errors of update functions and of validations, as the registry of an API server has them.
var (
	errConflict  = errors.New("the object has been modified")
	errForbidden = errors.New("the object must not be deleted")
)

func (o *object) holds(member string) bool {
	return slices.Contains(strings.Split(o.Value, memberSeparator), member)
}

// named gives an object the name that its key says.
func (s *Server) named(o *object, key string) *object {
	name := strings.TrimPrefix(key, s.resource)
	if namespace, n, in := strings.Cut(name, "/"); in {
		o.Namespace, name = namespace, n
	}
	o.Name = name
	return o
}

func readKey(r *protocol.Reader) string { return strings.TrimPrefix(r.Text(), etcdPrefix) }

func preconditionsOf(resourceVersion int64) *storage.Preconditions {
	if resourceVersion == 0 {
		return nil
	}
	required := versionText(resourceVersion)
	return &storage.Preconditions{ResourceVersion: &required}
}

// creates is a creation by a client.
type creates struct{ key, value string }

func createRequest(r *protocol.Reader) *creates { return &creates{readKey(r), r.Text()} }

func (q *creates) create(ctx context.Context, s *Server, to *reply) {
	var out object
	err := s.delegator.Create(ctx, q.key, s.named(&object{Value: q.value}, q.key), &out, 0)
	to.wrote(s, &out, err)
}

// updates is an update by a client.
type updates struct {
	key, add               string
	expected, precondition int64
	ignoreNotFound         bool
}

func updateRequest(r *protocol.Reader) *updates {
	return &updates{key: readKey(r), add: r.Text(), expected: r.Int(), precondition: r.Int(), ignoreNotFound: r.Bool()}
}

func (q *updates) update(ctx context.Context, s *Server, to *reply) {
	var out object
	err := s.delegator.GuaranteedUpdate(ctx, q.key, &out, q.ignoreNotFound, preconditionsOf(q.precondition), q.try(s), nil)
	to.wrote(s, &out, err)
}

// try is the update function. It changes the object in place, as those of an API server may.
func (q *updates) try(s *Server) storage.UpdateFunc {
	return func(in runtimeObject, meta storage.ResponseMeta) (runtimeObject, *uint64, error) {
		o := in.(*object)
		switch {
		case q.expected != 0 && int64(meta.ResourceVersion) != q.expected:
			return nil, nil, errConflict
		case meta.ResourceVersion == 0:
			s.named(o, q.key).Value = q.add
		case !o.holds(q.add):
			o.Value += memberSeparator + q.add
		}
		return o, nil, nil
	}
}

// deletes is a deletion by a client.
type deletes struct {
	key, holding string
	precondition int64
}

func deleteRequest(r *protocol.Reader) *deletes {
	return &deletes{key: readKey(r), holding: r.Text(), precondition: r.Int()}
}

func (q *deletes) delete(ctx context.Context, s *Server, to *reply) {
	validate := func(_ context.Context, o runtimeObject) error {
		if q.holding != "" && !o.(*object).holds(q.holding) {
			return errForbidden
		}
		return nil
	}
	var out object
	err := s.delegator.Delete(ctx, q.key, &out, preconditionsOf(q.precondition), validate, nil, storage.DeleteOptions{})
	to.wrote(s, &out, err)
}

// wrote answers a write with the object that it has made, left as it was, or deleted.
func (r *reply) wrote(s *Server, o *object, err error) {
	if err != nil {
		r.refuse(err)
		return
	}
	s.writeObject(r.begin(protocol.Wrote), o)
	r.last()
}

// refuse says why a write was not carried out, with the resourceVersion in the error.
func (r *reply) refuse(err error) {
	var of *storage.StorageError
	code, resourceVersion := byte(0), int64(0)
	if errors.As(err, &of) {
		resourceVersion = of.ResourceVersion
	}
	switch {
	case storage.IsExist(err):
		code = protocol.KeyExists
	case storage.IsNotFound(err):
		code = protocol.KeyNotFound
	case storage.IsInvalidObj(err), errors.Is(err, errConflict):
		code = protocol.Conflict
	case errors.Is(err, errForbidden):
		code = protocol.Forbidden
	default:
		r.fail(err)
		return
	}
	r.begin(protocol.Denied).Byte(code).Text(err.Error()).Int(resourceVersion)
	r.last()
}
