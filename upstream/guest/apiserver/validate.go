package apiserver

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// validate refuses options of a LIST or a WATCH before the storage sees them, as
// handlers.ListResource does.
func validate(o *storage.ListOptions, watch bool) error {
	watchList := utilfeature.DefaultFeatureGate.Enabled(features.WatchList)
	given := metainternalversion.ListOptions{
		Watch: watch, ResourceVersion: o.ResourceVersion, ResourceVersionMatch: o.ResourceVersionMatch,
		Limit: o.Predicate.Limit, Continue: o.Predicate.Continue, SendInitialEvents: o.SendInitialEvents,
		AllowWatchBookmarks: o.Predicate.AllowWatchBookmarks,
	}
	metainternalversion.SetListOptionsDefaults(&given, watchList)
	o.ResourceVersionMatch, o.SendInitialEvents = given.ResourceVersionMatch, given.SendInitialEvents
	if errs := validation.ValidateListOptions(&given, watchList); len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	return validateFields(o.Predicate.Field)
}

// validateFields refuses a selector by a field that objects do not have, as the conversion of field labels does
// (runtime.Scheme.ConvertFieldLabel).
func validateFields(selector fields.Selector) error {
	for _, r := range selector.Requirements() {
		switch r.Field {
		case "metadata.name", "metadata.namespace", attributesOfServer.indexed, attributesOfServer.unindexed:
		default:
			return apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", r.Field))
		}
	}
	return nil
}
