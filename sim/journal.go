package sim

// journal is what a node asked of its Env in one step, in order, with what it was told.
type journal struct {
	effects []effect
	// unrepeatable: the node asked something that the journal has no word for.
	unrepeatable bool
}

func (j *journal) begin() { j.effects, j.unrepeatable = j.effects[:0], false }

// firstTick is the first reading of the counter that orders calls and returns.
func (j *journal) firstTick() (int64, bool) {
	for i := range j.effects {
		if j.effects[i].verb == verbTick {
			return j.effects[i].told, true
		}
	}
	return 0, false
}

// effect is one request to an Env. On whom and with what depends on the verb; told is the
// answer, 0 if there is none.
type effect struct {
	verb     verb
	on, with int64
	told     int64
	text     string
	payload  Payload
}

// verb is the method of Env.
type verb uint8

const (
	verbBegin verb = iota
	verbUnder
	verbOpen
	verbBound
	verbCanSend
	verbSend
	verbClose
	verbAbort
	verbIsOpen
	verbHold
	verbEnable
	verbDisable
	verbArm
	verbDisarm
	verbArmed
	verbChoose
	verbPhase
	verbTick
	verbCover
)

func (e *Env) note(x effect) {
	if j := e.w.journal; j != nil {
		j.effects = append(j.effects, x)
	}
}

func (e *Env) noteUnrepeatable() {
	if e.w.journal != nil {
		e.w.journal.unrepeatable = true
	}
}

// repeat asks all of it of this world. It returns false at the first answer that is another
// one.
func (e *Env) repeat(effects []effect) bool {
	for i := range effects {
		x := &effects[i]
		if told := e.ask(x); told != x.told {
			return false
		}
	}
	return true
}

func (e *Env) ask(x *effect) (told int64) {
	switch x.verb {
	case verbBegin:
		return int64(e.Begin(x.text, int(x.with)))
	case verbUnder:
		e.Under(Cause(x.on))
	case verbOpen:
		return int64(e.open(NodeID(x.on), connKind(x.with)))
	case verbBound:
		e.Bound(Conn(x.on), int(x.with))
	case verbCanSend:
		return number(e.CanSend(Conn(x.on)))
	case verbSend:
		e.Send(Conn(x.on), x.payload)
	case verbClose:
		e.Close(Conn(x.on))
	case verbAbort:
		e.Abort(Conn(x.on))
	case verbIsOpen:
		return number(e.IsOpen(Conn(x.on)))
	case verbHold:
		e.setHeld(Conn(x.on), x.with == 1)
	case verbEnable:
		e.Enable(Task(x.on))
	case verbDisable:
		e.Disable(Task(x.on))
	case verbArm:
		e.Arm(Timer(x.on), Duration(x.with))
	case verbDisarm:
		e.Disarm(Timer(x.on))
	case verbArmed:
		return number(e.Armed(Timer(x.on)))
	case verbChoose:
		return int64(e.Choose(int(x.with), x.text))
	case verbPhase:
		return int64(e.Phase())
	case verbTick:
		return e.Tick()
	case verbCover:
		e.Cover(Situation(x.on))
	}
	return 0
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
