package wire

import "github.com/watchbed/watchbed/sim"

// Entry is the response as a part of the state of a node that has it.
func (r *WatchResponse) Entry() sim.Entry {
	e := sim.Entry{Text: r.Label()}
	if n := len(r.Events); n > 0 {
		e.First, e.Last = r.Events[0].Kv.ModRevision, r.Events[n-1].Kv.ModRevision
	}
	if r.IsProgressNotify() {
		e.UpTo = r.Revision
	}
	return e
}
