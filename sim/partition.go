package sim

import "slices"

// Partition cuts nodes off from each other for some time, as a network does that drops
// packets: connections stay open, what is sent waits, and new connections wait with their
// first message. TCP sends everything again afterwards. A partition that ends before
// keepalives are missed breaks nothing, so a longer one takes BreakStream beside it.
//
// Each strike begins the partition or ends it, so a budget is even: two strikes for each
// time. When timed, the world draws when the second comes; untimed it may come at any
// point. Heal ends all partitions.
type Partition struct {
	// One and Other are the nodes on both sides; without Other it is all other nodes.
	One, Other []NodeID
	// OneWay: only what One sends is held up.
	OneWay bool
	// Breaks: the second strike breaks the streams between both sides, so that a part of what waits is lost. Heal does
	// not.
	Breaks bool
	// Label says between which: "between a and b".
	Label string
}

func (f *Partition) Name() string          { return "partition " + f.Label }
func (f *Partition) Ready(*World) bool     { return true }
func (f *Partition) partition() *Partition { return f }

// partitionOf is the partition that a fault is, or that it embeds; nil if there is none.
func partitionOf(f Fault) *Partition {
	if p, ok := f.(interface{ partition() *Partition }); ok {
		return p.partition()
	}
	return nil
}

// Stands reports whether the partition has begun and not ended.
func (f *Partition) Stands(env *Env) bool { return slices.Contains(env.w.partitions, f) }

// Strike implements Fault.
func (f *Partition) Strike(env *Env) {
	w := env.w
	if i := slices.Index(w.partitions, f); i >= 0 {
		w.partitions = slices.Delete(w.partitions, i, i+1)
		f.breakStreams(w)
		partitionEnds.Say(env, f.Label)
	} else {
		env.Cover(partitionBegan)
		w.partitions = append(w.partitions, f)
		partitionBegins.Say(env, f.Label)
	}
	w.cutLanes()
}

var (
	partitionBegins = NewNote1[string]("sim.partitioned", "no message gets through %s", IsSetback)
	partitionEnds   = NewNote1[string]("sim.partitioned", "messages get through again %s")
)

// breakStreams breaks the streams between both sides, if it is to.
func (f *Partition) breakStreams(w *World) {
	for i := 1; f.Breaks && i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connOpen && k.kind == streamConn && (f.separates(k.Opener, k.Acceptor) || f.separates(k.Acceptor, k.Opener)) {
			w.breakConn(k.ID)
		}
	}
}

// separates reports whether nothing gets from one node to another. Faults reach every
// node.
func (f *Partition) separates(a, b NodeID) bool {
	if a == 0 || b == 0 || a == b {
		return false
	}
	return slices.Contains(f.One, a) && f.beyond(b) || !f.OneWay && slices.Contains(f.One, b) && f.beyond(a)
}

func (f *Partition) beyond(n NodeID) bool {
	if len(f.Other) == 0 {
		return !slices.Contains(f.One, n)
	}
	return slices.Contains(f.Other, n)
}

var partitionBegan = NewCoveragePoint("world: nodes are cut off from each other for some time")

// separated reports whether any partition is on the way from one node to another.
func (w *World) separated(a, b NodeID) bool {
	for _, f := range w.partitions {
		if f.separates(a, b) {
			return true
		}
	}
	return false
}

// cutLanes has the lanes of all connections follow the partitions that there are now.
func (w *World) cutLanes() {
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connFree {
			continue
		}
		for n, cut := range [2]bool{w.separated(k.Opener, k.Acceptor), w.separated(k.Acceptor, k.Opener)} {
			l := &w.lanes[2*i+n]
			if l.cut == cut {
				continue
			}
			l.cut = cut
			switch {
			case cut:
				w.clearReady(l.slot)
			case l.len() > 0 && !l.stopped():
				w.makeReady(l.slot, l.peek().due)
			}
		}
	}
}

// healPartitions ends all of them.
func (w *World) healPartitions() {
	if len(w.partitions) > 0 {
		w.partitions = w.partitions[:0]
		w.cutLanes()
	}
}
