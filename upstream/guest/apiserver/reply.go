package apiserver

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// reply is the answer to a client.
type reply struct {
	host Host
	conn uint32
	out  protocol.Writer
}

func (r *reply) begin(k protocol.Kind) *protocol.Writer { return r.out.Begin(k, r.conn) }
func (r *reply) send()                                  { r.host.Send(&r.out) }

// last sends the only message of an answer.
func (r *reply) last() { r.send() }

func (r *reply) close() {
	r.begin(protocol.Closed)
	r.send()
}

func (r *reply) fail(err error) {
	writeError(r.begin(protocol.Failed), statusOf(err))
	r.send()
}

// initialEventsEnd is the annotation of the bookmark that ends the initial events.
const initialEventsEnd = metav1.InitialEventsAnnotationKey

func (s *Server) writeEvent(to *reply, e *watch.Event) {
	w := to.begin(protocol.Event)
	if e.Type == watch.Error {
		w.Byte(protocol.Error)
		writeError(w, statusOf(apierrors.FromObject(e.Object)))
		to.send()
		return
	}
	types := map[watch.EventType]byte{
		watch.Added: protocol.Added, watch.Modified: protocol.Modified, watch.Deleted: protocol.Removed, watch.Bookmark: protocol.Bookmark,
	}
	w.Byte(types[e.Type])
	o := plain(e.Object)
	w.Bool(o.Annotations[initialEventsEnd] == "true")
	s.writeObject(w, o)
	to.send()
}

// plain is the object of an event: the cacher wraps those that it sends to several watchers.
func plain(o runtimeObject) *object {
	if wrapped, ok := o.(interface{ GetObject() runtimeObject }); ok {
		o = wrapped.GetObject()
	}
	return o.(*object)
}

// statusOf is the status that an API server answers with, as responsewriters.ErrorToAPIStatus
// makes it of an error, with the codes of etcd that have a meaning for clients.
func statusOf(err error) *metav1.Status {
	var s apierrors.APIStatus
	if errors.As(err, &s) {
		answer := s.Status()
		return &answer
	}
	failed := &metav1.Status{Code: http.StatusInternalServerError, Message: err.Error()}
	switch {
	case errors.Is(err, rpctypes.ErrNoLeader) || errors.Is(err, rpctypes.ErrGRPCNoLeader):
		failed.Reason = noLeader
	case status.Code(err) == codes.Unavailable || rpcCode(err) == codes.Unavailable:
		failed.Code = http.StatusServiceUnavailable
	}
	return failed
}

func rpcCode(err error) codes.Code {
	var e rpctypes.EtcdError
	if errors.As(err, &e) {
		return e.Code()
	}
	return codes.Unknown
}

// noLeader marks the error of etcd of that name.
const noLeader metav1.StatusReason = "NoLeader"

func writeError(w *protocol.Writer, s *metav1.Status) {
	code := protocol.Internal
	switch {
	case s.Reason == noLeader:
		code = protocol.NoLeader
	case s.Code == http.StatusGone:
		code = protocol.ErrCompacted
	case s.Code == http.StatusGatewayTimeout && tooLarge(s):
		code = protocol.TooLargeResourceVersion
	case s.Code == http.StatusTooManyRequests:
		code = protocol.TooManyRequests
	case s.Code == http.StatusBadRequest || s.Code == http.StatusUnprocessableEntity:
		code = protocol.BadRequest
	case s.Code == http.StatusServiceUnavailable:
		code = protocol.Unavailable
	}
	retry, next := int64(0), s.ListMeta.Continue
	if s.Details != nil {
		retry = int64(s.Details.RetryAfterSeconds)
	}
	w.Byte(code).Text(s.Message).Int(retry).Text(next)
}

func tooLarge(s *metav1.Status) bool {
	return storage.IsTooLargeResourceVersion(&apierrors.StatusError{ErrStatus: *s})
}
