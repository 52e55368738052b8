package workload

import (
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
func Values(s wire.Selector) (p model.ValuePattern) {
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
