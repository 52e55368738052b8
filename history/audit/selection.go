package audit

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/watchbed/watchbed/model"
)

// selection is the label selector and the field selector of a list. The zero value has none.
type selection struct {
	labels labels.Selector
	fields fields.Selector
}

// readSelection reports false for a selector that Kubernetes would refuse.
func readSelection(parameters url.Values) (selection, bool) {
	byLabel, err := labels.Parse(parameters.Get("labelSelector"))
	if err != nil {
		return selection{}, false
	}
	byField, err := fields.ParseSelector(parameters.Get("fieldSelector"))
	return selection{byLabel, byField}, err == nil
}

// empty reports whether every object is selected.
func (s *selection) empty() bool { return s.labels.Empty() && s.fields.Empty() }

// surelyTakes reports whether an object with these labels is selected for certain. Which other
// fields a resource lets clients select by, and how it makes them, the log does not say.
func (s *selection) surelyTakes(namespace, name string, set labels.Set) bool {
	for _, r := range s.fields.Requirements() {
		if r.Field != "metadata.name" && r.Field != "metadata.namespace" {
			return false
		}
	}
	return s.labels.Matches(set) && s.fields.Matches(fields.Set{"metadata.name": name, "metadata.namespace": namespace})
}

// selectedList is a list with a selector.
type selectedList struct {
	client string
	// operation asks for the range of the list and shows what was selected.
	operation model.Operation
	selection selection
	// resource is what the keys of its objects begin with.
	resource string
	line     int64
}

// end is that of the range of which the list shows all that is selected.
func (s *selectedList) end() string {
	items := s.operation.Result.Items
	switch {
	case !s.operation.Result.More:
		return s.operation.Request.End
	case len(items) == 0:
		return s.operation.Request.Key
	}
	return items[len(items)-1].Key + "\x00"
}

// shows reports whether an object is on the list.
func (s *selectedList) shows(key string) bool {
	_, shown := slices.BinarySearchFunc(s.operation.Result.Items, key, func(it *model.Item, key string) int { return cmp.Compare(it.Key, key) })
	return shown
}

// surelySelects reports whether an object with these labels is selected for certain.
func (s *selectedList) surelySelects(key string, set labels.Set) bool {
	namespace, name, namespaced := strings.Cut(strings.TrimPrefix(key, s.resource), "/")
	if !namespaced {
		namespace, name = "", namespace
	}
	return s.selection.surelyTakes(namespace, name, set)
}

// name is the client of the reads of one key: they are judged apart from each other.
func (s *selectedList) name(key string) string {
	return s.client + ", object " + strings.TrimPrefix(key, s.resource)
}

// read is the list as one of a single key, of which it shows an object of a revision, or with
// revision 0 none.
func (s *selectedList) read(key string, revision int64) model.Operation {
	op := s.operation
	request := *op.Request
	request.Key, request.End = key, ""
	op.Request, op.Result = &request, &model.Result{Revision: op.Result.Revision}
	if revision > 0 {
		op.Result.Items, op.Result.Count = []*model.Item{{Key: key, ModRevision: revision}}, 1
	}
	return op
}
