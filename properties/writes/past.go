package writes

import (
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

func pastOf(s *testbed.System) testbed.Past { return &past{judge{system: s, moments: moments.Of(s)}} }

// past is, for each write that is under way, what its object has been since it was asked for, and
// for each update that was answered, what must stay in the object. An answer is right or wrong by
// itself.
type past struct{ judge }

// Digest implements testbed.Past.
func (p *past) Digest(d sim.Digest) sim.Digest {
	log, known := p.system.Truth().Log(), p.judge.known()
	for i, c := range p.system.Clients() {
		requests, spans := c.Requests(), c.Spans()
		if at := p.moments.Open(i); at != nil {
			w := &write{request: requests[len(requests)-1], from: at.Asked.Revision, to: log.Revision(), log: log}
			d = w.seen(d.Bool(true))
		}
		for k := range spans {
			r, updates := requests[k].(*wire.GuaranteedUpdateRequest)
			answer, done := spans[k].Write.(*wire.ObjectResponse)
			if !updates || !done {
				continue
			}
			w := &write{request: r, log: log}
			made, now := w.at(answer.Item.ModRevision), w.at(known)
			if made != nil && now != nil && made.CreateRevision == now.CreateRevision {
				w.from, w.to = known, log.Revision()
				d = w.seen(d.Text(r.Add))
			}
		}
		d = d.Bool(false)
	}
	return d
}

// seen mixes in what the object has been while the write was under way.
func (w *write) seen(d sim.Digest) sim.Digest {
	if w.key() == "" {
		return d
	}
	for rev := w.from; rev <= w.to; rev++ {
		if o := w.at(rev); o != nil {
			d = d.Int(rev).Word(o.Digest())
		} else {
			d = d.Int(rev)
		}
	}
	return d
}
