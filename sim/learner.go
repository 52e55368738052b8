package sim

import "fmt"

// Learner carries out, for one worker of a search, the steps that its Parts do not know.
type Learner struct {
	parts *Parts
	// alike reports whether two nodes are equal in everything that they consist of.
	alike func(a, b any) bool
	// at is a world in which steps are taken, places memory of Behaviour.
	at     *World
	places []Digest
}

// Learner returns one for a worker whose world is this one: one of those from which the parts were made.
// alike reports whether two nodes are equal as a whole; no other learner asks it. first is the state of the world.
func (p *Parts) Learner(w *World, alike func(a, b any) bool) (l *Learner, first State, err error) {
	l = &Learner{parts: p, alike: alike, at: &World{}}
	if err := w.Fork(l.at); err != nil {
		return nil, nil, err
	}
	return l, l.Apart(l.at, nil), nil
}

// Take takes a step out of a state, into the memory of another one: an action that Enabled lists.
// answers is a number for what c will answer, different for different answers. known is whether one that was
// told the same was learned before; if not, it is carried out and learned.
func (l *Learner) Take(s State, a Action, c Chooser, answers uint64, into State) (next State, known bool) {
	x := l.parts.leaf(s, a, answers)
	if x == nil {
		return l.learn(s, a, c, answers, into), false
	}
	for _, asked := range x.choices {
		if c.Choose(l.at, asked.n, asked.what) != asked.answer {
			panic("sim: the answers to a step are not those that belong to their number")
		}
	}
	return x.from(s, into), true
}

func (l *Learner) learn(s State, a Action, c Chooser, answers uint64, into State) State {
	w := l.parts.World(s, l.at)
	var asked asked
	w.asked = &asked
	w.Do(c, a)
	w.asked = nil
	if asked.tooMuch {
		return l.Apart(w, into)
	}
	l.number(w)
	l.parts.lock.Lock()
	defer l.parts.lock.Unlock()
	return l.add(s, a, answers, &asked).from(s, into)
}

// add remembers a step out of a state that was carried out. Another worker may have added the same one.
func (l *Learner) add(s State, a Action, answers uint64, asked *asked) *leaf {
	p := l.parts
	at, told, n := p.begin(s, a, answers)
	for _, x := range told[:n] {
		at = p.steps.on(at, x)
	}
	for _, q := range asked.questions {
		at = l.addQuestion(s, a, at, q)
	}
	b := p.steps.branches.At(at)
	if q, _ := b.ask(); q != asksNothing {
		panic(l.doesOtherwise(a))
	}
	if known := b.leaf.Get(); known != nil {
		return known
	}
	x := &leaf{p.changes(s, a, l.at, asked.questions), asked.choices}
	p.weight += p.weigh(x)
	return b.leaf.Know(x)
}

// addQuestion is the way on from a way at whose end a step asks this.
func (l *Learner) addQuestion(s State, a Action, at uint32, q question) uint32 {
	p := l.parts
	b := p.steps.branches.At(at)
	switch known, _ := b.ask(); {
	case b.leaf.Get() != nil, known != asksNothing && known != q:
		panic(l.doesOtherwise(a))
	case known == asksNothing && q <= asksSlot:
		b.setAsk(q, p.steps.on(at, uint32(number(true))))
	case known == asksNothing:
		b.setAsk(q, 0)
	}
	return p.steps.on(at, p.told(s, q))
}

func (l *Learner) doesOtherwise(a Action) string {
	return fmt.Sprintf("sim: a step of %s does otherwise than before although it was told the same", l.at.nodes[a.Node].name)
}

// Apart takes a world apart, into the memory of a state: one that was put together from parts, or that
// began as their first one did.
func (l *Learner) Apart(w *World, into State) State {
	l.number(w)
	l.parts.lock.Lock()
	defer l.parts.lock.Unlock()
	return l.parts.apart(w, into)
}

// number has all nodes of a world have numbers.
func (l *Learner) number(w *World) {
	for n := 1; n < len(w.nodes); n++ {
		if rec := &w.nodes[n]; rec.numbered == 0 {
			l.numberNode(rec)
		}
	}
}

// maxAlike is with how many of those with its fingerprint a node is compared.
const maxAlike = 16

// numberNode gives a node the number of one that is equal to it: of the first that was met. The record
// has that node from now on.
func (l *Learner) numberNode(rec *nodeRecord) {
	p, f := l.parts, rec.node.(Fingerprinter)
	if rec.behaviour == (Digest{}) {
		rec.describe(f)
	}
	fingerprint := f.Fingerprint(NewDigest)
	var met []uint32
	rec.node, met = l.clone(rec.node, fingerprint)
	// What was met stays where it is, so that nodes are compared while others add.
	known := l.find(met, rec.node)
	if known == 0 {
		known = l.addNode(rec, fingerprint, len(met))
	}
	p.objects.At(known).into(rec, known)
}

// clone is a clone of a node, with the nodes of its fingerprint that were met. A clone has no memory of the step
// that led here, and is marked as one of two that share it.
func (l *Learner) clone(n Node, fingerprint Digest) (Node, []uint32) {
	l.parts.lock.Lock()
	// The code under test may panic.
	defer l.parts.lock.Unlock()
	return n.(Cloner).Clone(), l.parts.ofObjects[fingerprint]
}

// find is the number of a node among those that were met with its fingerprint, 0 if it is none of them.
func (l *Learner) find(met []uint32, n Node) uint32 {
	for _, i := range met {
		if l.alike(l.parts.objects.At(i).node, n) {
			return i
		}
	}
	return 0
}

// addNode adds a node that is none of the first so many with its fingerprint.
func (l *Learner) addNode(rec *nodeRecord, fingerprint Digest, others int) uint32 {
	p := l.parts
	p.lock.Lock()
	defer p.lock.Unlock()
	met := p.ofObjects[fingerprint]
	if known := l.find(met[others:], rec.node); known != 0 {
		return known
	}
	added := p.objects.Add(object{rec.node, rec.behaviour, rec.conns})
	if len(met) < maxAlike {
		p.ofObjects[fingerprint] = append(met, added)
	}
	p.weight += p.weigh(rec.node)
	return added
}
