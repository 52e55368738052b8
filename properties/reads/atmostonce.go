package reads

import (
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
	New:      testbed.Recorded(atMostOnce),
})

// The labels of a violation.
const (
	repeatedWrite = "repeated"
	refusedWrite  = "refused"
)

func atMostOnce(s *testbed.System, _ *sim.World, all *testbed.Tally) {
	commits := s.Etcd().Committed()
	for _, c := range s.Clients() {
		operations, requests := c.Operations(), c.Requests()
		for i := range operations {
			op := &operations[i]
			if !op.Request.IsWrite() {
				continue
			}
			all.Exercised++
			revisions := revisionsOf(commits, requests[i])
			about := explore.Concern{Client: c.Name(), Call: op.Call}
			if n := len(revisions); n > 0 {
				about.Revision = revisions[n-1]
			}
			switch {
			case len(revisions) > 1:
				all.Violate(repeatedWrite, testbed.Wrong(about, "%s asked once for %s, and etcd carried it out %d times: its revisions after that were %v",
					c.Name(), requests[i].Label(), len(revisions), revisions))
			case len(revisions) == 1 && op.Outcome == model.Failed:
				all.Violate(refusedWrite, testbed.Wrong(about, "%s asked for %s and was refused, and etcd carried it out: its revision after that was %d",
					c.Name(), requests[i].Label(), revisions[0]))
			}
		}
	}
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
