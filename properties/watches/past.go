package watches

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// pastOf makes the past of etcd's watch guarantees, which is one for all of them.
func pastOf(s *testbed.System) testbed.Past {
	return testbed.Shared(s, func(s *testbed.System) *past { return &past{system: s, rules: s.WatchRules()} })
}

// past is where each watch is that can still be sent something. What clients record that
// have no behaviour of their own (sim.Recorder) is in the state as a whole.
type past struct {
	system   *testbed.System
	rules    workload.WatchRules
	contract contract
}

// Reset implements testbed.Observer.
func (*past) Reset() {}

// Digest implements testbed.Past.
func (p *past) Digest(d sim.Digest) sim.Digest {
	p.contract.rewind()
	judged := p.system.Truth().Revision()
	for _, w := range p.system.Watchers() {
		streams := p.contract.ofWatcher(w)
		if anyAhead(streams, judged) {
			d = w.Fingerprint(d)
		}
		d = d.Int(model.Covered(streams)).Int(int64(len(streams)))
		if w.Watching() {
			d = position(d, &streams[len(streams)-1])
		}
	}
	for _, c := range p.system.ListWatchers() {
		streams := p.contract.ofListWatcher(c)
		if anyAhead(streams, judged) {
			d = c.Fingerprint(d)
		}
		d = d.Int(model.Covered(streams)).Int(int64(len(streams)))
		if all := c.Streams(); len(streams) > 0 && !all[len(all)-1].Closed && !awaitsEnd(&all[len(all)-1]) {
			d = position(d, &streams[len(streams)-1])
		}
	}
	for _, c := range p.system.DrawnWatchers() {
		for i := range c.Streams() {
			// Each is judged alone, and only the last can still be sent something.
			st := &c.Streams()[i]
			streams := p.contract.ofDrawnWatch(st)
			if anyAhead(streams, judged) {
				d = c.Fingerprint(d)
			}
			if len(streams) > 0 && i == len(c.Streams())-1 {
				d = position(d, &streams[0])
			}
		}
	}
	for _, r := range p.system.Streams() {
		for _, watch := range r.Watches(p.rules) {
			streams := p.contract.ofEtcdWatch(r, watch)
			if anyAhead(streams, judged) {
				d = r.Fingerprint(d)
			}
			if !r.Ended() && !r.HasLeft(watch) {
				d = position(d.Int(created(r, watch.ID)), &streams[0])
			}
		}
	}
	return d
}

// anyAhead reports whether the verdict on what came waits for revisions that are still to
// be written: of that nothing is left out.
func anyAhead(streams []model.WatchStream, judged int64) bool {
	for i := range streams {
		s := &streams[i]
		if s.Request.StartRevision > judged+1 && i > 0 ||
			slices.ContainsFunc(s.Responses, func(r model.WatchResponse) bool { return r.Revision > judged }) {
			return true
		}
	}
	return false
}

// position mixes in where a stream is. Which changes came is summed up: their order does
// not matter (model.WatchPosition).
func position(d sim.Digest, s *model.WatchStream) sim.Digest {
	p := s.Position()
	d = d.Int(p.Start).Int(p.Whole).Int(p.Marked)
	var came sim.Digest
	for i := range s.Responses {
		for k := range s.Responses[i].Events {
			e := &s.Responses[i].Events[k]
			came = came.And(sim.NewDigest.Word(uint64(e.Type)).Int(e.Revision).Text(e.Item.Key))
		}
	}
	return d.Fold(came)
}

// created is how often a stream said that a watch with an id is created: which of the
// watches with that id later responses belong to follows from it.
func created(r *workload.EtcdWatch, id int64) (n int64) {
	for i := range r.Responses() {
		if x := &r.Responses()[i]; x.Created && x.WatchID == id {
			n++
		}
	}
	return n
}

// awaitsEnd reports whether the initial events of a stream have not ended yet.
func awaitsEnd(st *workload.ListStream) bool { return st.IsList() && st.End < 0 }
