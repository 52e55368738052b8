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
	New:      func(s *testbed.System) testbed.Judge { return &detectorAccuracy{system: s} },
})

type detectorAccuracy struct {
	system *testbed.System
	// checked is how many comparisons of each informer were judged.
	checked []int
	tally   testbed.Tally
}

// Reset implements testbed.Judge.
func (j *detectorAccuracy) Reset() {
	j.tally, j.checked = testbed.Tally{}, j.checked[:0]
	for range j.system.Informers() {
		j.checked = append(j.checked, 0)
	}
}

// Follows implements testbed.Follower.
func (*detectorAccuracy) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *detectorAccuracy) AfterStep(_ *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		checked := &j.checked[n.ID-j.system.Informers()[0].ID]
		before := *checked
		if *checked = n.Record().Checked; *checked > before {
			j.judge(n)
		}
	}
}

func (j *detectorAccuracy) judge(n *testbed.Informer) {
	j.tally.Exercised++
	if !n.Record().Panicked {
		if d := j.system.Compare(n, n.ResourceVersion(), n.Ascend); d != nil {
			j.tally.Violate("missed", &missed{d})
		}
		return
	}
	if j.system.Compare(n, n.StreamedVersion(), n.AscendStreamed) == nil {
		j.tally.Violate("false-alarm", &falseAlarm{n.Name})
	}
}

// Finding implements testbed.Judge.
func (j *detectorAccuracy) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// missed is a difference that the detector did not find.
type missed struct{ *truth.Difference }

func (m *missed) String() string {
	return "the consistency detector found nothing: " + m.Difference.String()
}

// falseAlarm is a panic about a stream that was right.
type falseAlarm struct{ informer string }

func (f *falseAlarm) String() string {
	return "the consistency detector of " + f.informer + " panics, and what was streamed was right"
}

// Concerns implements explore.Concerned.
func (f *falseAlarm) Concerns() explore.Concern { return explore.Concern{Node: f.informer} }
