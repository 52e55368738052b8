package tampering

import (
	"slices"

	"github.com/watchbed/watchbed/model"
)

// Way is one way to make the answer of a read wrong.
type Way struct {
	Name string
	// Breaks are the properties that are violated for certain. A list says at
	// which revision it read, so that one wrong item in it is wrong in every
	// order; where a judge may not look at that revision, or may not look at the
	// time, most wrong answers could have been right at another point.
	Breaks []string

	apply func(h *model.History, op *model.Operation) *model.Result
}

const (
	linearizable = "linearizable"
	data         = "linearizable-data"
	sequential   = "sequential"
)

// Ways are all that the package knows. They expect a history in which every
// write is inside the range of every list without a limit.
func Ways() []Way {
	return []Way{
		{"an item is dropped from a list", []string{linearizable, sequential}, dropItem},
		{"an item of a list is reverted to an older one", []string{linearizable, sequential}, revertItem},
		{"a list shows an item that was deleted", []string{linearizable, sequential}, revive},
		{"an item has a value that was never written", []string{linearizable, data, sequential}, inventValue},
		{"the revision of a list is lowered below its newest item", []string{linearizable, sequential}, lowerRevision},
		{"the revision of a list is raised", []string{linearizable, sequential}, raiseRevision},
		{"the count of a list is raised", []string{linearizable, sequential}, raiseCount},
		{"a get shows what was overwritten before", []string{linearizable, data}, past},
		{"a get shows what was not written yet", []string{linearizable, data}, future},
	}
}

// Apply returns the history with the answer of one operation made wrong, nil if
// this way has no hold on it. The history itself stays as it is.
func (w *Way) Apply(h *model.History, operation int) *model.History {
	op := &h.Operations[operation]
	if op.Outcome != model.Done || op.Result.Err != model.OK {
		return nil
	}
	res := w.apply(h, op)
	if res == nil {
		return nil
	}
	wrong := *h
	wrong.Operations = slices.Clone(h.Operations)
	wrong.Operations[operation].Result = res
	return &wrong
}
