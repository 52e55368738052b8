package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
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
