package informers

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
)

// DetectorAccuracy is about client-go's data consistency detector
// (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR). It is exercised by each of its
// comparisons.
var DetectorAccuracy = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-detector-accuracy", Kind: testbed.Safety,
	Promise:  "An informer's consistency detector panics if and only if what was streamed is not what etcd had at that resourceVersion.",
	Violated: "detector is wrong",
	Labels:   map[string]string{"missed": "divergence not detected", "false-alarm": "false alarm of the detector"},
	New:      testbed.EachInformer(detectorAccuracy),
})

// detectorAccuracy judges the comparisons of an informer, of which as many were.
func detectorAccuracy(s *testbed.System, _ *sim.World, n *testbed.Informer, judged *int, all *testbed.Tally) {
	before := *judged
	if *judged = n.Record().Checked; *judged == before {
		return
	}
	all.Exercised++
	if !n.Record().Panicked {
		if d := s.Compare(n, n.ResourceVersion(), n.Ascend); d != nil {
			all.Violate("missed", &missed{d})
		}
		return
	}
	if s.Compare(n, n.StreamedVersion(), n.AscendStreamed) == nil {
		all.Violate("false-alarm", testbed.Wrong(explore.Concern{Node: n.Name},
			"the consistency detector of %s panics, and what was streamed was right", n.Name))
	}
}

// missed is a difference that the detector did not find.
type missed struct{ *truth.Difference }

func (m *missed) String() string {
	return "the consistency detector found nothing: " + m.Difference.String()
}
