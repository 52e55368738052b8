package moments

import (
	"slices"

	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

var _ testbed.Remembering = (*Recorder)(nil)

// Memory implements testbed.Remembering.
func (r *Recorder) Memory() any {
	r.shared = true
	return r.records
}

// Recall implements testbed.Remembering.
func (r *Recorder) Recall(memory any) {
	members := r.system.Members()
	r.records, r.shared, r.recalled, r.serves = memory.(*records), true, true, members[len(members)-1].Server
}

// KnowsHeard reports whether Cache.Heard is known: a search does not count progress notifications.
func (r *Recorder) KnowsHeard() bool { return !r.recalled }

// Times mixes in when etcd came to which revision.
func (r *Recorder) Times(d sim.Digest) sim.Digest {
	for _, known := range r.revisions {
		d = d.Int(known.number).Int(int64(known.at))
	}
	return d
}

// Same reports whether two messages are the same one. A search puts states together of nodes from
// different runs, in which equal messages are not told apart.
func (r *Recorder) Same(a, b sim.Payload) bool { return a == b || r.recalled && values.Alike()(a, b) }

// own makes the records the recorder's alone, before they change.
func (r *Recorder) own() {
	if r.shared {
		r.records, r.shared = r.records.clone(), false
	}
}

func (r *records) clone() *records {
	c := *r
	c.caches, c.revisions, c.streams = slices.Clone(r.caches), slices.Clone(r.revisions), slices.Clone(r.streams)
	c.operations, c.watches = cloneCalls(r.operations), cloneCalls(r.watches)
	for i := range c.streams {
		s := &c.streams[i]
		s.Creates, s.Later, s.Responses = slices.Clone(s.Creates), slices.Clone(s.Later), slices.Clone(s.Responses)
	}
	return &c
}

func cloneCalls(all [][]Call) [][]Call {
	c := make([][]Call, len(all))
	for i := range all {
		c[i] = slices.Clone(all[i])
	}
	return c
}

// Open is the call of a client of the history that has no answer yet, nil if there is none.
func (r *Recorder) Open(client int) *Call {
	all := r.operations[client]
	if n := len(all); n > 0 && !all[n-1].Over {
		return &all[n-1]
	}
	return nil
}

// SoFar is an open call as if its answer came now, from where no step tells anything else.
func (r *Recorder) SoFar(c *Call) Call {
	so := *c
	of := &r.caches[c.Cache]
	so.Answered.Cache = of.Cache
	of.since(&so.Answered.Cache, c.Asked.Step)
	if !of.ready {
		so.Answered.Cache.Unready = c.Asked.Step
	}
	if of.behind {
		so.Answered.Cache.Behind = c.Asked.Step
	}
	if of.trusts {
		so.Answered.Cache.Trusted = c.Asked.Step
	} else {
		so.Answered.Cache.Untrusted = c.Asked.Step
	}
	if of.waiting > 1 {
		so.Answered.Cache.Crowded = c.Asked.Step
	}
	return so
}

// Listed is the resourceVersion of a cache when it became ready last.
func (r *Recorder) Listed(cache int) int64 { return r.caches[cache].Listed }
