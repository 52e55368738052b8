package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/btree"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/watchbed/watchbed/model"
)

// event is an Event of audit.k8s.io/v1, as far as it counts. Fields that are not known are
// passed over: an object may have any.
type event struct {
	Kind       string
	APIVersion string
	Level      string
	AuditID    string
	Stage      string
	RequestURI string
	Verb       string
	User       struct{ Username string }
	ObjectRef  *struct {
		Resource, Namespace, Name, APIGroup, Subresource string
	}
	ResponseStatus *struct{ Code int }
	RequestObject  *object
	ResponseObject *object

	RequestReceivedTimestamp time.Time
	StageTimestamp           time.Time
}

// object is a Kubernetes object, a list of some, a Table or a Status.
type object struct {
	Kind     string
	Metadata metadata
	Items    []struct{ Metadata metadata }
	Rows     []struct {
		Object struct{ Metadata metadata }
	}
	// skipped: there is a text in place of the object.
	skipped bool
}

// UnmarshalJSON takes a text in place of an object, too: managed clusters write one if the object
// is too large ("skipped-too-big-size-object" on AKS).
func (o *object) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		o.skipped = true
		return nil
	}
	type plain object
	return json.Unmarshal(data, (*plain)(o))
}

type metadata struct {
	Name, Namespace, ResourceVersion, Continue string
	DeletionTimestamp                          string
	Labels                                     map[string]string
}

// check refuses what no API server logs, and reports whether the event is of a stage that counts.
func (e *event) check() (counts bool, err error) {
	e.RequestObject, e.ResponseObject = present(e.RequestObject), present(e.ResponseObject)
	switch {
	case e.APIVersion != "audit.k8s.io/v1":
		return false, fmt.Errorf("%s is not known, audit.k8s.io/v1 is", e.APIVersion)
	case e.Stage != "ResponseComplete":
		return false, nil
	case e.Level != "Metadata" && e.Level != "Request" && e.Level != "RequestResponse":
		return false, fmt.Errorf("unknown level %q: want Metadata, Request or RequestResponse", e.Level)
	case e.AuditID == "":
		return false, errors.New(`"auditID" is missing`)
	case e.RequestReceivedTimestamp.IsZero() || e.StageTimestamp.IsZero():
		return false, errors.New(`"requestReceivedTimestamp" or "stageTimestamp" is missing`)
	case e.StageTimestamp.Before(e.RequestReceivedTimestamp):
		return false, errors.New(`"stageTimestamp" is before "requestReceivedTimestamp": was the clock set?`)
	}
	return true, nil
}

// present is an object that was not skipped.
func present(o *object) *object {
	if o != nil && o.skipped {
		return nil
	}
	return o
}

// What an API server answers with: status codes of HTTP. Package net/http has names for them,
// and with it simrun takes a fifth longer to compile.
const (
	codeOK       = 200
	codeCreated  = 201
	codeNotFound = 404
)

// code is that of the answer, 0 if there is none.
func (e *event) code() int {
	if e.ResponseStatus == nil {
		return 0
	}
	return e.ResponseStatus.Code
}

// parameters are those of the request.
func (e *event) parameters() (url.Values, error) {
	u, err := url.ParseRequestURI(e.RequestURI)
	if err != nil {
		return nil, errors.New(`"requestURI" is no URI`)
	}
	return u.Query(), nil
}

// key is that of an object, or with an empty name that of a namespace, in the manner of etcd's.
func (e *event) key(namespace, name string) string {
	resource := e.ObjectRef.Resource
	if e.ObjectRef.APIGroup != "" {
		resource += "." + e.ObjectRef.APIGroup
	}
	key := "/registry/" + resource + "/"
	if namespace != "" {
		key += namespace + "/"
	}
	return key + name
}

// revision is 0 for an object without a resourceVersion.
func (m *metadata) revision() (int64, error) {
	if m.ResourceVersion == "" {
		return 0, nil
	}
	rev, err := strconv.ParseInt(m.ResourceVersion, 10, 64)
	if err != nil || rev < 0 {
		return 0, fmt.Errorf("the resourceVersion %q is no revision of etcd", m.ResourceVersion)
	}
	return rev, nil
}

// objects are the objects in the log, by key.
type objects struct {
	// versions are in the order of their revisions.
	versions map[string][]version
	// sets has one of each set of labels, by its text.
	sets map[string]labels.Set
}

// version is what an object was from one revision on.
type version struct {
	revision int64
	labels   labels.Set
	// first and last are the selected lists of the lowest and of the highest revision that show
	// the version; missed is that of the lowest one which would show it, and does not. All
	// others follow: what is there at two revisions is there between them, and what is gone
	// does not come back.
	first, last, missed *selectedList
}

func byRevision(v version, revision int64) int { return cmp.Compare(v.revision, revision) }

// saw keeps the labels of an object.
func (o *objects) saw(key string, revision int64, set labels.Set) {
	all := o.versions[key]
	at, known := slices.BinarySearchFunc(all, revision, byRevision)
	if known {
		return
	}
	text := set.String()
	if same, known := o.sets[text]; known {
		set = same
	} else {
		o.sets[text] = set
	}
	o.versions[key] = slices.Insert(all, at, version{revision: revision, labels: set})
}

// presence is an object that is there, as far as the lists up to a revision tell.
type presence struct {
	key     string
	version *version
}

// look goes through selected lists and notes which versions they show, and which they miss.
func (o *objects) look(lists []*selectedList) {
	slices.SortStableFunc(lists, func(a, b *selectedList) int {
		return cmp.Compare(a.operation.Result.Revision, b.operation.Result.Revision)
	})
	all := o.inOrder()
	now := btree.NewG(16, func(a, b presence) bool { return a.key < b.key })
	for _, l := range lists {
		for len(all) > 0 && all[0].version.revision <= l.operation.Result.Revision {
			now.ReplaceOrInsert(all[0])
			all = all[1:]
		}
		for _, it := range l.operation.Result.Items {
			at, _ := slices.BinarySearchFunc(o.versions[it.Key], it.ModRevision, byRevision)
			v := &o.versions[it.Key][at]
			if v.last = l; v.first == nil {
				v.first = l
			}
		}
		for _, p := range missing(now, l) {
			p.version.missed = l
			now.Delete(p)
		}
	}
}

// inOrder are all versions, in the order of their revisions.
func (o *objects) inOrder() []presence {
	var all []presence
	for _, key := range slices.Sorted(maps.Keys(o.versions)) {
		for i := range o.versions[key] {
			all = append(all, presence{key, &o.versions[key][i]})
		}
	}
	slices.SortStableFunc(all, func(a, b presence) int { return cmp.Compare(a.version.revision, b.version.revision) })
	return all
}

// missing are the objects that a list would show if they were there.
func missing(now *btree.BTreeG[presence], l *selectedList) (gone []presence) {
	now.AscendRange(presence{key: l.operation.Request.Key}, presence{key: l.end()}, func(p presence) bool {
		if !l.shows(p.key) && l.surelySelects(p.key, p.version.labels) {
			gone = append(gone, p)
		}
		return true
	})
	return gone
}

// reads are what the selected lists tell of single objects, in the order of their keys and
// revisions.
func (o *objects) reads(yield func(l *selectedList, key string, revision int64)) {
	for _, key := range slices.Sorted(maps.Keys(o.versions)) {
		for _, v := range o.versions[key] {
			if v.first != nil {
				yield(v.first, key, v.revision)
			}
			if v.last != v.first {
				yield(v.last, key, v.revision)
			}
			if v.missed != nil {
				yield(v.missed, key, 0)
			}
		}
	}
}

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
