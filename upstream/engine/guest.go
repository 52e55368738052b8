package engine

// Guest is one run of a module. One goroutine uses it at a time.
type Guest struct {
	module *Module
	// at is the machine that the guest is in, nil if it is saved.
	at *machine
	// saved is the guest's state, nil if it has run since.
	saved *State
}

// NewGuest returns a guest in the state from which each run begins.
func (m *Module) NewGuest() (*Guest, error) {
	g := &Guest{module: m}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.root == nil {
		if _, err := m.newMachine(); err != nil {
			return nil, err
		}
	}
	g.saved = m.root
	return g, nil
}

// Reset puts the guest back to where each run begins.
func (g *Guest) Reset() {
	g.module.lock.Lock()
	defer g.module.lock.Unlock()
	g.saved = g.module.root
	if g.at != nil {
		g.at.owner, g.at = nil, nil
	}
}

// Become puts the guest into the state of another one of its module.
func (g *Guest) Become(other *Guest) {
	g.module.lock.Lock()
	defer g.module.lock.Unlock()
	g.saved = other.state()
	if g.at != nil {
		g.at.owner, g.at = nil, nil
	}
}

// Clone returns a guest in the same state.
func (g *Guest) Clone() *Guest {
	g.module.lock.Lock()
	defer g.module.lock.Unlock()
	return &Guest{module: g.module, saved: g.state()}
}

// state is the guest's state. The module is locked.
func (g *Guest) state() *State {
	if g.saved == nil {
		g.saved = g.at.save()
	}
	return g.saved
}

// leave makes room in the machine. The module is locked.
func (g *Guest) leave() {
	g.state()
	g.at.owner, g.at = nil, nil
}

// Hash is a digest of the guest's memory and globals.
func (g *Guest) Hash() uint64 {
	g.module.lock.Lock()
	defer g.module.lock.Unlock()
	return g.state().hash()
}

// Run lets the guest run until it waits, at a time of its clock in nanoseconds. It begins with a message, or if that is
// nil with what the time makes due. until is the time for which the guest waits, 0 if for none.
func (g *Guest) Run(h Host, now int64, message []byte) (until int64, err error) {
	at, err := g.module.acquire(g)
	if err != nil {
		return 0, err
	}
	g.saved = nil
	until, err = at.run(h, now, message)
	if err != nil {
		g.module.discard(at)
		return 0, err
	}
	g.module.release(at)
	return until, nil
}
