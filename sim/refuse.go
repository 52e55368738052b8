package sim

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
}

// Name implements Fault.
func (f *Refuse) Name() string { return "refuse " + f.Label }

// Ready implements Fault.
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
	env.Send(k.id, f.Refusal(kind, k.kind == callConn))
}

// find returns the first connection that a refusal can be sent on.
func (f *Refuse) find(w *World) *conn {
	for i := range w.conns {
		k := &w.conns[i]
		if k.state != connOpen || k.opener != f.From || k.acceptor != f.To {
			continue
		}
		l := w.laneFrom(k, f.To)
		if !l.deaf && (l.room == 0 || l.len() < l.room) && (k.kind == streamConn || l.len() == 0) {
			return k
		}
	}
	return nil
}
