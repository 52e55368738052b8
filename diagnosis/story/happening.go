package story

import (
	"reflect"
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Happening is what steps of several stories have in common, whatever the run, the node, the
// key and the revision: a node of this tier says something of this kind, or a fault strikes.
// The happenings of a story say how it came about, in words that another story has, too.
type Happening struct {
	// Where is "client", "cache", "client library", "etcd" or "fault".
	Where string
	// What is the Go type of a note, or the name of a fault.
	What string
}

// Example is a happening in one story.
type Example struct {
	Happening
	// Node and Text are those of the first line that tells it.
	Node, Text string
}

// Happenings are those of a story, each once, in their order.
func (s *Story) Happenings() []Example {
	var all []Example
	for i := range s.Lines {
		for _, e := range s.happenings(&s.Lines[i]) {
			if !slices.ContainsFunc(all, func(x Example) bool { return x.Happening == e.Happening }) {
				all = append(all, e)
			}
		}
	}
	return all
}

func (s *Story) happenings(line *Line) []Example {
	step := &s.Run.Trace.Steps[line.Step-1]
	if len(line.Says) == 0 {
		return []Example{{Happening{"fault", step.Activity}, line.Node, line.Text}}
	}
	where := ClientTier
	if node, ok := s.Run.Trace.Node(line.Node); ok {
		where = s.Run.Tiers[node]
	}
	var all []Example
	for _, note := range step.Notes {
		what := reflect.TypeOf(note.Value)
		// A line leaves out what the node says that does not matter.
		told := slices.ContainsFunc(line.Says, func(n sim.Note) bool { return reflect.TypeOf(n) == what })
		if told && s.Run.Trace.Nodes[note.Node] == line.Node {
			all = append(all, Example{Happening{where.String(), what.String()}, line.Node, note.Text})
		}
	}
	return all
}
