package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// sendFragments is the function of that name: a response that is too large is split
// between events.
func (sws *ServerWatchStream) sendFragments(env *sim.Env, r *wire.WatchResponse) {
	out, limit := &sws.send.out, sws.server.opts.FragmentBytes
	bare := *r
	bare.Events = nil
	head := responseSize(&bare)
	if sws.server.opts.Fragments == FragmentsNone || len(r.Events) < 2 || responseSize(r) < limit {
		out.Push(r)
		return
	}
	env.Cover(coverFragmented)
	// The flag counts.
	head += 2
	for from := 0; from < len(r.Events); {
		to, size := from, head
		for to < len(r.Events) {
			size += eventSize(&r.Events[to])
			if to > from && (size >= limit || sws.server.opts.Fragments == FragmentsSingle) {
				break
			}
			to++
		}
		f := sws.server.responses.New()
		*f = bare
		f.Events, f.Fragment = r.Events[from:to:to], to < len(r.Events)
		out.Push(f)
		from = to
	}
}
