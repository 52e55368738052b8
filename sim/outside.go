package sim

// A world may keep step with something real: its clock follows a real one, and
// what happens outside comes in between two steps. The driver
// carries out what is due (Enabled, Due, Do), lets the clock catch up
// (AdvanceTo), and hands in what came meanwhile (Admit). Such a run has no
// replay: its choices do not contain what came in, and when.

// Due is when an action of the list that Enabled returned last is to happen. If
// that is over, it is late and happens now.
func (w *World) Due(a Action) Time { return w.slots[a.Slot].due }

// AdvanceTo moves the clock of a timed world forward to t; it never goes back.
// What was due before t is late from then on, so carry it out first.
func (w *World) AdvanceTo(t Time) {
	if w.mode == Timed {
		w.now = max(w.now, t)
	}
}

// Admit is a step of node n that nothing inside the world led to: act takes in
// what came from outside. c answers the choices inside it.
func (w *World) Admit(c Chooser, n NodeID, act func(*Env)) {
	w.chooser = c
	w.step++
	w.act(n, w.nodes[n].root)
	w.own(n)
	act(&w.env)
}
