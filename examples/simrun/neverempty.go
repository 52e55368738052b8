package main

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// NeverEmpty is exercised by each LIST of a client that has written before and has
// deleted nothing.
var NeverEmpty = testbed.RegisterProperty(&testbed.Property{
	Name: "never-empty", Kind: testbed.Safety,
	Promise:  "A client that has written an object finds at least one object in its next LIST.",
	Violated: "empty list",
	New:      func(s *testbed.System) testbed.Judge { return &neverEmpty{system: s} },
})

type neverEmpty struct{ system *testbed.System }

func (j *neverEmpty) Reset() {}

func (j *neverEmpty) Finding(*sim.World) explore.Finding {
	var tally testbed.Tally
	history := j.system.History()
	wrote := make([]bool, len(history.Clients))
	for _, op := range history.Operations {
		switch {
		case op.Outcome != model.Done:
		case op.Request.IsWrite():
			wrote[op.Client] = true
		case op.Request.Kind == model.List && wrote[op.Client]:
			tally.Exercised++
			if len(op.Result.Items) == 0 {
				tally.Violate("empty", empty{client: history.Clients[op.Client], revision: op.Result.Revision})
			}
		}
	}
	return tally.Finding()
}

type empty struct {
	client   string
	revision int64
}

func (e empty) String() string {
	return fmt.Sprintf("%s has written an object, and its LIST at revision %d is empty", e.client, e.revision)
}

func (e empty) Concern() explore.Concern {
	return explore.Concern{Client: e.client, Revision: e.revision}
}
