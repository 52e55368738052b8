package reply

import "github.com/watchbed/watchbed/sim"

// altered: what etcd sends is not what its store says.
type altered struct {
	sentence string
	about    sim.About
}

// Text implements sim.Note.
func (n altered) Text(*sim.World) string { return n.sentence }

// About implements sim.Subject.
func (n altered) About() sim.About { return n.about }
