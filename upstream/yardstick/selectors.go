package yardstick

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apiserver/pkg/storage"

	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// selectors makes selectors of the cache of Kubernetes' predicates. The cache knows fields that equal a value, and its
// fields are fixed when it starts. Kubernetes' selectors may be of any kind, so that a number of fields is kept for
// them: each such field stands for one selector, and equals "true" where it matches.
type selectors struct {
	fields store.Fields
	named  map[string]bool
	object func(*wire.KeyValue) runtime.Object
	attrs  storage.AttrFunc

	mu    sync.Mutex
	known map[string]string
	free  int
	kept  [keptFor]atomic.Pointer[storage.SelectionPredicate]
}

// keptFor is how many selectors there may be that are more than fields which equal a value.
const keptFor = 1000

// matches is the value of a field that stands for a selector.
const matches = "true"

// names are the fields of the objects of upstream's tests.
var names = []string{"metadata.name", "metadata.namespace", "spec.nodeName", "spec.restartPolicy", "status.phase"}

func newSelectors(cfg *Config, o objects) *selectors {
	s := &selectors{named: map[string]bool{}, known: map[string]string{}, attrs: cfg.Attributes}
	s.object = func(kv *wire.KeyValue) runtime.Object {
		into := cfg.NewFunc()
		if o.read(context.Background(), kv, kv.ModRevision, into) != nil {
			return nil
		}
		return into
	}
	for _, name := range names {
		s.named[name] = true
		s.fields = append(s.fields, store.Field{Name: name, Value: func(kv *wire.KeyValue) string { return s.field(kv, name) }})
	}
	for _, name := range cfg.Indexed {
		if f := s.fields.Find(name); f != nil {
			f.Indexed = true
		}
	}
	for i := range s.kept {
		s.fields = append(s.fields, store.Field{Name: strconv.Itoa(i), Value: func(kv *wire.KeyValue) string { return s.stands(kv, i) }})
	}
	return s
}

// field is the value of a field of an object.
func (s *selectors) field(kv *wire.KeyValue, name string) string {
	o := s.object(kv)
	if o == nil {
		return ""
	}
	_, f, err := s.attrs(o)
	if err != nil {
		return ""
	}
	return f[name]
}

// stands is the value of the field that stands for a selector.
func (s *selectors) stands(kv *wire.KeyValue, i int) string {
	p, o := s.kept[i].Load(), s.object(kv)
	if p == nil || o == nil {
		return ""
	}
	if fits, err := p.Matches(o); err != nil || !fits {
		return ""
	}
	return matches
}

// of is the selector of a predicate.
func (s *selectors) of(p storage.SelectionPredicate) (wire.Selector, error) {
	var all wire.Selector
	if p.Field != nil {
		rest := fields.Everything()
		for _, r := range p.Field.Requirements() {
			if r.Operator == selection.Equals || r.Operator == selection.DoubleEquals {
				if s.named[r.Field] {
					all = and(wire.Selector{Field: r.Field, Value: r.Value}, all)
					continue
				}
			}
			rest = fields.AndSelectors(rest, fields.ParseSelectorOrDie(r.Field+string(r.Operator)+fields.EscapeValue(r.Value)))
		}
		p.Field = rest
	} else {
		p.Field = fields.Everything()
	}
	if p.Label == nil {
		p.Label = labels.Everything()
	}
	if p.Field.Empty() && p.Label.Empty() {
		return all, nil
	}
	name, err := s.standFor(p)
	if err != nil {
		return all, err
	}
	return and(wire.Selector{Field: name, Value: matches}, all), nil
}

func and(one, others wire.Selector) wire.Selector {
	if others.Field == "" {
		return one
	}
	one.And = &others
	return one
}

// standFor is the field that stands for a selector.
func (s *selectors) standFor(p storage.SelectionPredicate) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := p.Label.String() + "|" + p.Field.String()
	if name, ok := s.known[text]; ok {
		return name, nil
	}
	if s.free == len(s.kept) {
		return "", fmt.Errorf("the cache has had %d different selectors, and there is room for no more", len(s.kept))
	}
	s.kept[s.free].Store(&storage.SelectionPredicate{Label: p.Label, Field: p.Field, GetAttrs: s.attrs})
	s.known[text] = strconv.Itoa(s.free)
	s.free++
	return s.known[text], nil
}
