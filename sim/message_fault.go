package sim

import "slices"

// LoseMessage takes a message off a stream, or puts another one into its place, and
// neither end hears of it. No
// network does that to a stream: it stands for a bug of the sender, and plants
// what a detector of such bugs has to find.
type LoseMessage struct {
	// From are the nodes one of which sends it.
	From  []NodeID
	To    NodeID
	Label string
	// Match says which messages count.
	Match func(Payload) bool
	// Instead makes what takes its place. Without it, and where it makes nil, nothing does.
	Instead func(Payload) Payload
}

func (f *LoseMessage) Name() string { return "lose " + f.Label }

// Ready implements Fault.
func (f *LoseMessage) Ready(w *World) bool {
	l, _ := f.find(w)
	return l != nil
}

// Strike implements Fault.
func (f *LoseMessage) Strike(env *Env) {
	w := env.w
	l, i := f.find(w)
	if l == nil {
		return
	}
	if f.Instead != nil {
		if instead := f.Instead(l.queue[i].Payload); instead != nil {
			l.queue[i].Payload = instead
			return
		}
	}
	m := l.queue[i]
	wasFull := l.room > 0 && l.len() == l.room
	l.queue = slices.Delete(l.queue, i, i+1)
	switch {
	case l.len() == 0:
		l.queue, l.head = l.queue[:0], 0
		w.clearReady(l.slot)
	case !l.stopped():
		w.makeReady(l.slot, l.peek().due)
	}
	if wasFull {
		w.wakeSender(&m)
	}
}

// find returns the first message that matches, by its lane and its place there.
func (f *LoseMessage) find(w *World) (*lane, int) {
	for c := range w.conns {
		k := &w.conns[c]
		var from NodeID
		switch f.To {
		case k.Opener:
			from = k.Acceptor
		case k.Acceptor:
			from = k.Opener
		}
		if k.state != connOpen || k.kind != streamConn || !slices.Contains(f.From, from) {
			continue
		}
		l := w.laneFrom(k, from)
		for i := l.head; i < len(l.queue); i++ {
			if f.Match(l.queue[i].Payload) {
				return l, i
			}
		}
	}
	return nil, 0
}

// Refuse answers a request in the place of the node that it was sent to, or goes on
// where that node is answering: what stands before a server, or a part of it that is
// simulated nowhere, refuses the client. What the node itself answers comes too late.
type Refuse struct {
	From, To NodeID
	Label    string
	// Kinds is how many refusals there are, and Refusal one of them, as the answer to
	// a call or as what ends a stream.
	Kinds   int
	Refusal func(kind int, call bool) Payload
	// Calls: only calls are refused, and no stream ends.
	Calls bool
}

func (f *Refuse) Name() string        { return "refuse " + f.Label }
func (f *Refuse) Ready(w *World) bool { return f.find(w) != nil }

// Strike implements Fault.
func (f *Refuse) Strike(env *Env) {
	w := env.w
	k := f.find(w)
	if k == nil {
		return
	}
	kind := env.Choose(f.Kinds, "refusal")
	w.act(f.To, w.nodes[f.To].root)
	env.Send(k.ID, f.Refusal(kind, k.kind == callConn))
}

// find returns the first connection that a refusal can be sent on.
func (f *Refuse) find(w *World) *Link {
	for i := range w.conns {
		k := &w.conns[i]
		if k.state != connOpen || k.Opener != f.From || k.Acceptor != f.To {
			continue
		}
		if f.Calls && k.kind != callConn {
			continue
		}
		l := w.laneFrom(k, f.To)
		if !l.deaf && (l.room == 0 || l.len() < l.room) && (k.kind == streamConn || l.len() == 0) {
			return k
		}
	}
	return nil
}
