package v3rpc

import (
	"github.com/watchbed/watchbed/sim/shown"
	"github.com/watchbed/watchbed/sim/wire"
)

// Show shows what the two loops of each stream have between them and the client.
func (s *WatchServer) Show(visit shown.Visitor) {
	var ctrl, deferred, hands []shown.Entry
	for _, sws := range s.streams {
		if !sws.used() {
			continue
		}
		label := sws.watch.Label()
		for _, r := range sws.ctrlStream.All() {
			ctrl = append(ctrl, entry(label, r))
		}
		if sws.progress.Deferred() {
			deferred = append(deferred, shown.Entry{Text: label + "a progress request"})
		}
		for _, r := range sws.send.out.All() {
			hands = append(hands, entry(label, r))
		}
		for i := range sws.send.pending {
			for _, r := range sws.send.pending[i].responses {
				hands = append(hands, entry(label+"until created: ", r))
			}
		}
	}
	visit("ctrlStream", ctrl...)
	visit("deferred", deferred...)
	visit("sendLoop holds", hands...)
}

func entry(label string, r *wire.WatchResponse) shown.Entry {
	e := r.Entry()
	e.Text = label + e.Text
	return e
}
