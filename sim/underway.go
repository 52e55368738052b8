package sim

// UnderWay calls f for each connection on which messages of a node are not yet
// received, with the first of them and their number. It is for judges, which
// look at the world between steps.
func (w *World) UnderWay(from NodeID, f func(first *Message, count int)) {
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connFree || k.opener != from && k.acceptor != from {
			continue
		}
		if l := w.laneFrom(k, from); l.len() > 0 {
			f(l.peek(), l.len())
		}
	}
}
