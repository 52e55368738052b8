package apiserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/storage/value"
)

// object is what is stored: a name and a value, as clients of the simulation write it.
type object struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Value string
}

func (o *object) DeepCopyObject() runtime.Object {
	c := *o
	o.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	return &c
}

// objectList is a list of them.
type objectList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []object
}

func (l *objectList) DeepCopyObject() runtime.Object {
	c := *l
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	c.Items = make([]object, len(l.Items))
	for i := range l.Items {
		c.Items[i] = *l.Items[i].DeepCopyObject().(*object)
	}
	return &c
}

func newObject() runtime.Object { return &object{} }
func newList() runtime.Object   { return &objectList{} }

// nameIsBefore separates the name of an object from its value in what the codec is given.
const nameIsBefore = "\x00"

// keyed puts the name before the value on the way from etcd: what clients of the simulation
// write does not say whose value it is.
type keyed struct{ resource string }

func (k keyed) TransformFromStorage(_ context.Context, data []byte, key value.Context) ([]byte, bool, error) {
	name := strings.TrimPrefix(string(key.AuthenticatedData()), etcdPrefix+k.resource)
	return append([]byte(name+nameIsBefore), data...), false, nil
}

func (keyed) TransformToStorage(_ context.Context, data []byte, _ value.Context) ([]byte, error) {
	_, v, _ := bytes.Cut(data, []byte(nameIsBefore))
	return v, nil
}

// codec reads and writes objects: name, separator, value.
type codec struct{}

func (codec) Encode(o runtime.Object, w io.Writer) error {
	x, ok := o.(*object)
	if !ok {
		return errors.New("only objects are stored")
	}
	_, err := io.WriteString(w, nameOf(x)+nameIsBefore+x.Value)
	return err
}

func (codec) Identifier() runtime.Identifier { return "watchbed" }

func (codec) Decode(data []byte, _ *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	x, ok := into.(*object)
	if !ok {
		x = &object{}
	}
	name, v, found := strings.Cut(string(data), nameIsBefore)
	if !found {
		return nil, nil, errors.New("a stored object has no name")
	}
	if namespace, n, in := strings.Cut(name, "/"); in {
		x.Namespace, name = namespace, n
	}
	x.Name, x.Value = name, v
	// An object has no uid here: what shards are hashed by is its writer.
	x.UID = types.UID(writerOf(x))
	return x, &schema.GroupVersionKind{}, nil
}

// nameOf is the part of the key behind that of the resource.
func nameOf(o *object) string {
	if o.Namespace != "" {
		return o.Namespace + "/" + o.Name
	}
	return o.Name
}

// attributes are those by which clients select objects: the writer stands before the dot of
// a value, the number of the write behind it.
type attributes struct{ indexed, unindexed, label string }

func (a *attributes) of(o runtime.Object) (labels.Set, fields.Set, error) {
	x, ok := o.(*object)
	if !ok {
		return nil, nil, errors.New("not an object")
	}
	f := fields.Set{"metadata.name": x.Name, "metadata.namespace": x.Namespace}
	if a.indexed == "" {
		return nil, f, nil
	}
	writer, write, _ := strings.Cut(x.Value, ".")
	f[a.indexed], f[a.unindexed] = writer, writer
	return labels.Set{a.label: write}, f, nil
}

func writerOf(o runtime.Object) string {
	writer, _, _ := strings.Cut(o.(*object).Value, ".")
	return writer
}
