package workload

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
)

// The fields by which clients select objects. Both are the writer of the object's
// value: a write by another one moves the object from one selection to another. The
// cache has an index of IndexedField.
const (
	IndexedField   = "spec.writer"
	UnindexedField = "status.writer"
	// UnknownField is one that no object has: the API refuses it.
	UnknownField = "spec.none"
)

// InitialValue is that of each object before the run.
const InitialValue = "initial"

// ValueBefore is the value of the i-th object before the run, if these share a number of
// values of the fields; 0 is one value for all.
func ValueBefore(i, groups int) string {
	if groups == 0 {
		return InitialValue
	}
	return GroupOf(i, groups) + "." + InitialValue
}

// GroupOf is the value of the fields that the i-th object has before the run.
func GroupOf(i, groups int) string { return "g" + strconv.Itoa(i%groups+1) }

// WriterOf is the writer of a value: what stands before the dot. Values from before the
// run have none.
func WriterOf(value string) string {
	writer, _, _ := strings.Cut(value, ".")
	return writer
}

// WriteLabel is the label by which clients select objects: the number of the write, which
// stands behind the dot. Each write gives an object another one, and objects from before
// the run have none.
const WriteLabel = "write"

// WriteOf is the label of a value, empty if it has none.
func WriteOf(value string) string {
	_, write, _ := strings.Cut(value, ".")
	return write
}

// Values is what the values of the objects look like that a selector selects.
func Values(s wire.Selector) model.ValuePattern {
	p := valuesOfTerm(&s)
	for term := s.And; term != nil; term = term.And {
		p = p.And(valuesOfTerm(term))
	}
	return p
}

func valuesOfTerm(s *wire.Selector) (p model.ValuePattern) {
	switch {
	case s.Field == "":
	case s.Value == InitialValue:
		p.Prefix = s.Value
	default:
		p.Prefix = s.Value + "."
	}
	if s.Label != "" {
		p.Suffix = "." + s.LabelValue
	}
	return p
}
