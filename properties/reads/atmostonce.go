package reads

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// AtMostOnce compares the writes that clients asked for with those that etcd carried
// out. It is exercised by each write of a client.
var AtMostOnce = testbed.RegisterProperty(&testbed.Property{
	Name: "at-most-once", Kind: testbed.Safety,
	Promise:  "Each write that a client asks for once is carried out at most once, and one that is refused is not carried out.",
	Violated: "write carried out twice",
	Labels:   map[string]string{refusedWrite: "refused write carried out", "repeated": "write carried out twice"},
	Weight:   8,
	New:      func(s *testbed.System) testbed.Judge { return &atMostOnce{s} },
})

// The labels of a violation.
const (
	repeatedWrite = "repeated"
	refusedWrite  = "refused"
)

type atMostOnce struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*atMostOnce) Reset() {}

// Finding implements testbed.Judge.
func (j *atMostOnce) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	commits := j.system.Etcd().Committed()
	for _, c := range j.system.Clients() {
		operations, requests := c.Operations(), c.Requests()
		for i := range operations {
			op := &operations[i]
			if !op.Request.IsWrite() {
				continue
			}
			all.Exercised++
			revisions := revisionsOf(commits, requests[i])
			found := &carriedOut{c.Name(), op, requests[i], revisions}
			switch {
			case len(revisions) > 1:
				all.Violate(repeatedWrite, found)
			case len(revisions) == 1 && op.Outcome == model.Failed:
				all.Violate(refusedWrite, found)
			}
		}
	}
	return all.Finding()
}

// revisionsOf are the revisions of etcd after each time that it carried out a
// request. Each request of a client is a message of its own, which every attempt at
// it carries.
func revisionsOf(commits []etcd.Commit, request sim.Payload) []int64 {
	var all []int64
	for i := range commits {
		if commits[i].Request == request {
			all = append(all, commits[i].Revision)
		}
	}
	return all
}

// carriedOut is a write that etcd carried out more often than its client was answered.
type carriedOut struct {
	client    string
	op        *model.Operation
	request   sim.Payload
	revisions []int64
}

func (c *carriedOut) String() string {
	if len(c.revisions) > 1 {
		return fmt.Sprintf("%s asked once for %s, and etcd carried it out %d times: its revisions after that were %v",
			c.client, c.request.Label(), len(c.revisions), c.revisions)
	}
	return fmt.Sprintf("%s asked for %s and was refused, and etcd carried it out: its revision after that was %d",
		c.client, c.request.Label(), c.revisions[0])
}

// Concerns implements explore.Concerned.
func (c *carriedOut) Concerns() explore.Concern {
	return explore.Concern{Client: c.client, Call: c.op.Call, Revision: c.revisions[len(c.revisions)-1]}
}
