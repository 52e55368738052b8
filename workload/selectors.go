package workload

import (
	"strings"

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

// ValuePrefix is what the values of the objects begin with that a selector selects.
func ValuePrefix(s wire.FieldSelector) string {
	switch {
	case s.Empty():
		return ""
	case s.Value == InitialValue:
		return s.Value
	}
	return s.Value + "."
}
