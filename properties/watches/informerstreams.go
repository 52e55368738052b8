package watches

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// informerStreams looks at the WatchLists by which informers fill their stores.
type informerStreams struct {
	system *testbed.System
	streamsSeen
}

// streamsSeen is what was known of each informer after the last step, and what was wrong.
type streamsSeen struct {
	views []informerView
	tally testbed.Tally
}

// informerView is what was known of an informer, and etcd's revision when it asked
// for its last WatchList.
type informerView struct {
	record informer.Record
	asked  int64
}

var _ testbed.Remembering = (*informerStreams)(nil)

func newInformerStreams(s *testbed.System) *informerStreams { return &informerStreams{system: s} }

// Reset implements testbed.Observer.
func (j *informerStreams) Reset() {
	j.views, j.tally = nil, testbed.Tally{}
	for _, n := range j.system.Informers() {
		var v informerView
		if n.StreamsAtOnce() {
			v.record.Requests, v.asked = 1, j.system.Truth().Revision()
		}
		j.views = append(j.views, v)
	}
}

// Follows implements testbed.Follower.
func (*informerStreams) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *informerStreams) AfterStep(_ *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		j.look(n, &j.views[n.ID-j.system.Informers()[0].ID])
	}
}

// look compares an informer with what it was before the step.
func (j *informerStreams) look(n *testbed.Informer, v *informerView) {
	before := v.record
	v.record = *n.Record()
	if version := n.ResourceVersion(); version != 0 && v.record.Streamed > before.Streamed {
		end := ended{n.Name, v.record.Requested, v.asked, version}
		end.judge(&j.tally, j.system.Compare(n, version, n.Ascend))
	}
	if v.record.Requests > before.Requests {
		v.asked = j.system.Truth().Revision()
	}
}

// Memory implements testbed.Remembering.
func (j *informerStreams) Memory() any { return j.streamsSeen }

// Recall implements testbed.Remembering.
func (j *informerStreams) Recall(memory any) {
	j.streamsSeen = memory.(streamsSeen)
	j.views = slices.Clone(j.views)
}

// digest mixes in how new the WatchLists must be that are under way.
func (j *informerStreams) digest(d sim.Digest) sim.Digest {
	for i, n := range j.system.Informers() {
		if awaitsStream(n.Exchanges()) {
			d = d.Int((&ended{requested: n.Record().Requested, asked: j.views[i].asked}).oldest())
		}
	}
	return d
}

// awaitsStream reports whether the last request of an informer is a WatchList that has not come to the end
// of its initial events.
func awaitsStream(all []informer.Exchange) bool {
	if len(all) == 0 {
		return false
	}
	x := &all[len(all)-1]
	r, watch := x.Request.(*wire.WatchRequest)
	return watch && r.SendInitialEvents == wire.SendInitialEventsTrue && x.End == informer.Open && !x.Complete
}
