package yardstick

import (
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/wire"
)

// refusal is what upstream says where the cache refuses.
func refusal(err error, key string, version int64) error {
	var refused *shell.StatusError
	if !errors.As(err, &refused) {
		return err
	}
	seconds := int(refused.RetryAfter / time.Second)
	switch refused.Code {
	case wire.ErrCompacted:
		gone := apierrors.NewResourceExpired(refused.Message)
		gone.ErrStatus.ListMeta.Continue = refused.Continue
		return gone
	case wire.TooLargeResourceVersion, wire.ErrFutureRev:
		return storage.NewTooLargeResourceVersionError(uint64(max(version, 0)), 0, seconds)
	case wire.TooManyRequests:
		return apierrors.NewTooManyRequests(refused.Message, seconds)
	case wire.BadRequest:
		return apierrors.NewBadRequest(refused.Message)
	case wire.Unavailable:
		return storage.NewUnreachableError(key, version)
	}
	return storage.NewInternalError(refused)
}

// refusalOfList is what upstream says where the cache refuses a list, or the rest of one. Its store has words of its
// own for a list whose revision etcd has compacted.
func refusalOfList(err error, key string, version int64, rest bool) error {
	out := refusal(err, key, version)
	var gone *apierrors.StatusError
	if !apierrors.IsResourceExpired(out) || !errors.As(out, &gone) {
		return out
	}
	gone.ErrStatus.Message = "The resourceVersion for the provided list is too old."
	if rest {
		gone.ErrStatus.Message = "The provided continue parameter is too old to display a consistent list result."
	}
	return gone
}

// status is an error as a watch brings it.
func status(err error) *metav1.Status {
	var s apierrors.APIStatus
	if errors.As(err, &s) {
		of := s.Status()
		return &of
	}
	return &metav1.Status{Status: metav1.StatusFailure, Message: err.Error(), Reason: metav1.StatusReasonInternalError, Code: http.StatusInternalServerError}
}
