package etcdapi

import (
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// Fragments judges how etcd splits responses to watches that ask for fragments: between
// events, where the next event would make the message as large as the limit, and nowhere
// else. All fragments but the last say that there are more. What sendLoop takes before it
// has sent Created of the watch, it sends whole in all releases; that is not judged. It is
// exercised by responses with several events.
var Fragments = testbed.RegisterProperty(&testbed.Property{
	Name: "fragments", Kind: testbed.Safety,
	Promise:  "A response is split if its watch asks for fragments and it is too large for one message, into as few as there can be.",
	Violated: "response split wrongly",
	Labels:   map[string]string{"whole": "response not split", "split": "response split without need", "large": "fragment too large", "small": "fragment too small", "unasked": "fragments not asked for"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.RecordedBy(newFragments, (*fragments).judgeAll),
})

type fragments struct {
	system   *testbed.System
	evidence *evidence.Recorder
	// limit is the size from which on a response is split, in bytes.
	limit int
	rules workload.WatchRules
}

func newFragments(s *testbed.System) *fragments {
	nodes := s.Nodes()
	nodes.Etcd.Watch.SetDefaults()
	return &fragments{s, evidence.Of(s), nodes.Etcd.Watch.FragmentBytes, s.WatchRules()}
}

func (j *fragments) judgeAll(_ *sim.World, all *testbed.Tally) {
	for i, c := range j.system.Streams() {
		for _, watch := range c.Watches(j.rules) {
			responses, known := c.ResponsesTo(watch), j.createdBy(i, watch.ID)
			for len(responses) > 0 {
				n, complete := fragmentsOf(responses)
				if n > 1 || responses[0].Revision > known {
					j.judge(all, c.Name(), watch.Fragment, responses[:n], complete)
				}
				responses = responses[n:]
			}
		}
	}
}

// Digest is, for each watch, where etcd was when Created of it came, and what has come of a response
// of which there is more to come.
func (j *fragments) Digest(d sim.Digest) sim.Digest {
	for i, c := range j.system.Streams() {
		if c.Ended() {
			continue
		}
		for _, watch := range c.Watches(j.rules) {
			responses, complete := c.ResponsesTo(watch), true
			d = d.Int(watch.ID).Int(j.createdBy(i, watch.ID))
			for len(responses) > 0 && complete {
				var n int
				if n, complete = fragmentsOf(responses); complete {
					responses = responses[n:]
				}
			}
			for k := range responses {
				d = responses[k].WatchResponse.Digest(d.Bool(true))
			}
		}
	}
	return d
}

// createdBy is the revision of etcd when Created of the last watch with an id came on
// stream i: what sendLoop took before is not newer.
func (j *fragments) createdBy(i int, id int64) (revision int64) {
	for k, r := range j.system.Streams()[i].Responses() {
		if r.Created && r.WatchID == id {
			revision = j.evidence.Stream(i).Responses[k].Revision
		}
	}
	return revision
}

// fragmentsOf is how many responses belong together from the first on. They are not
// complete if the stream ended before the last of them.
func fragmentsOf(responses []workload.Response) (n int, complete bool) {
	for n < len(responses) {
		n++
		if !responses[n-1].Fragment {
			return n, true
		}
	}
	return n, false
}

// judge judges the fragments of one response, or a response that is whole.
func (j *fragments) judge(all *testbed.Tally, client string, asked bool, parts []workload.Response, complete bool) {
	first := parts[0].WatchResponse
	whole := *first
	whole.Fragment, whole.Events = false, nil
	for i := range parts {
		whole.Events = append(whole.Events, parts[i].Events...)
	}
	if len(whole.Events) < 2 {
		return
	}
	all.Exercised++
	wrong := func(label string, r *wire.WatchResponse, format string, args ...any) {
		all.Violatef(label, testbed.Concern{Node: client, Revision: r.Revision, Key: r.Events[0].Kv.Key},
			"%s was sent a response of %d events at revision %d (more fragments to come: %t), but "+format,
			append([]any{client, len(r.Events), r.Revision, r.Fragment}, args...)...)
	}
	switch split := len(parts) > 1 || !complete; {
	case split && !asked:
		wrong("unasked", first, "the watch does not ask for fragments")
	case asked && !split && size(&whole) >= j.limit:
		wrong("whole", first, "it has %d bytes, and is to be split from %d on", size(&whole), j.limit)
	case split && complete && size(&whole) < j.limit:
		wrong("split", first, "the whole has %d bytes, and is to be split from %d on", size(&whole), j.limit)
	}
	if !asked {
		return
	}
	// Where a response is split: each part is sized as a fragment with more behind it.
	for i := range parts {
		part := *parts[i].WatchResponse
		part.Fragment = true
		if n := size(&part); len(parts) > 1 && len(part.Events) > 1 && n >= j.limit {
			wrong("large", &part, "it has %d bytes, and is to have less than %d", n, j.limit)
		}
		if i+1 == len(parts) || len(parts[i+1].Events) == 0 {
			continue
		}
		part.Events = append(part.Events[:len(part.Events):len(part.Events)], parts[i+1].Events[0])
		if n := size(&part); n < j.limit {
			wrong("small", parts[i].WatchResponse, "with the next event it has %d bytes, which is less than %d", n, j.limit)
		}
	}
}
