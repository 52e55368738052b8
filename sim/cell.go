package sim

import "slices"

// CellKind is a kind of named part of a node's state: "resourceVersion", "store",
// "watch channel". Together with the node and an index it is a cell.
type CellKind uint16

var cellKinds []string

// NewCell registers a kind of cell; call it in package variable declarations
// only. The name begins with the package's: "etcd: ctrlStream".
func NewCell(name string) CellKind {
	for _, known := range cellKinds {
		if known == name {
			panic("sim: cell registered twice: " + name)
		}
	}
	cellKinds = append(cellKinds, name)
	return CellKind(len(cellKinds) - 1)
}

// String is the kind's name.
func (k CellKind) String() string { return cellKinds[k] }

// Cell is one named part of the state of a node, or of the world (node 0).
type Cell struct {
	Kind CellKind
	Node NodeID
	// Index distinguishes the cells of one kind: the number of a watcher, a
	// stream or a read; 0 if the node has one cell of this kind.
	Index int32
	// Item is one entry of the cell, such as an entry of a queue by its running
	// number or a revision of a log. 0 is the whole cell, NoItem none of it.
	Item int64
}

// NoItem is the item of an access that counts for conflicts and that no story
// follows.
const NoItem int64 = -1

// Same reports whether two cells are the same part of the same node. It ignores
// the item.
func (c Cell) Same(other Cell) bool {
	return c.Kind == other.Kind && c.Node == other.Node && c.Index == other.Index
}

// Covers reports whether what was written to c can be what a read of other
// finds: the same cell, and the same item unless one of both is the whole cell.
// An access with NoItem finds nothing and is not found.
func (c Cell) Covers(other Cell) bool {
	if c.Item == NoItem || other.Item == NoItem {
		return false
	}
	return c.Same(other) && (c.Item == other.Item || c.Item == 0 || other.Item == 0)
}

// Access is one use of a cell within a step.
type Access struct {
	Cell  Cell
	Write bool
}

// Footprint is what steps read and wrote. A story follows each read to the last
// write of the same cell. An explorer knows from two footprints whether two
// steps commute.
type Footprint struct {
	Accesses []Access
	// All: a step touched everything, as a fault or a restart does.
	All bool
}

// Reset empties the footprint for another step and keeps its memory.
func (f *Footprint) Reset() { f.Accesses, f.All = f.Accesses[:0], false }

// Conflicts reports whether one of the two wrote what the other one read or
// wrote. Steps that do not conflict commute: either order leads to the same
// state.
func (f *Footprint) Conflicts(g *Footprint) bool {
	if f.All || g.All {
		return true
	}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		for j := range g.Accesses {
			if b := &g.Accesses[j]; (a.Write || b.Write) && a.Cell.Same(b.Cell) {
				return true
			}
		}
	}
	return false
}

// The world's own cells, all of node 0.
var (
	cellConn  = NewCell("world: connection")
	cellLane  = NewCell("world: messages under way")
	cellReady = NewCell("world: timer or loop")
	// What cellLane is in parts, and connections that are gone, if connections go by their ends.
	cellTail = NewCell("world: last message under way")
	cellHead = NewCell("world: first message under way")
	cellRoom = NewCell("world: room for messages under way")
	cellGone = NewCell("world: connections that are gone")
	cellOpen = NewCell("world: connections that there are")
	// cellFault stands for a fault that is planned.
	cellFault = NewCell("world: fault")
)

// CellTicks is the counter behind Env.Tick, of node 0. Each reading writes the
// item of its number, so that an observer finds the step of a tick in a history.
var CellTicks = NewCell("world: order of calls and returns")

// RecordCells makes the world add the cells that each step touches to f, until
// the next call; nil ends it. The caller empties f between steps.
func (w *World) RecordCells(f *Footprint) { w.footprint = f }

// Reads declares that what the present step does depends on a cell of the
// acting node. It costs nothing unless a footprint is recorded.
func (e *Env) Reads(k CellKind, index int) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index)}, false)
	}
}

// Writes declares that the present step changes a cell of the acting node. A
// change that does not depend on what was there, such as an increment or an
// append, needs no Reads beside it: a write conflicts with every other use.
func (e *Env) Writes(k CellKind, index int) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index)}, true)
	}
}

// ReadsItem is Reads of one entry of a cell. Items do not matter for conflicts:
// from them a story finds the step that left the entry there.
func (e *Env) ReadsItem(k CellKind, index int, item int64) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index), Item: item}, false)
	}
}

// WritesItem is Writes of one entry of a cell.
func (e *Env) WritesItem(k CellKind, index int, item int64) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index), Item: item}, true)
	}
}

// LooksAt declares that the present step looks at a cell only to see whether a
// loop has something to do, or which place is free. It conflicts like Reads, and
// a story does not follow it.
func (e *Env) LooksAt(k CellKind, index int) { e.ReadsItem(k, index, NoItem) }

// Recording reports whether cells are recorded: a guard for what is computed only
// to name an item.
func (e *Env) Recording() bool { return e.w.footprint != nil }

// TouchesAll declares that the present step may read and write anything.
func (e *Env) TouchesAll() {
	if e.w.footprint != nil {
		e.w.footprint.All = true
	}
}

func (w *World) touch(c Cell, write bool) {
	w.footprint.Accesses = append(w.footprint.Accesses, Access{c, write})
}

// touchReady declares a use of what says whether a loop or a timer is pending. Its index
// is the same in whichever order loops and timers came up.
func (w *World) touchReady(slot int32, write bool) {
	if w.footprint != nil {
		s := &w.slots[slot]
		w.touch(Cell{Kind: cellReady, Index: readyIndex(s)}, write)
	}
}

func readyIndex(s *slot) int32 {
	index := int32(s.action.Node)<<16 | s.index<<1
	if s.action.Kind == Fire {
		index |= 1
	}
	return index
}

// touchLane declares a use of the messages under way on a lane.
func (w *World) touchLane(l *lane, write bool) {
	switch {
	case w.footprint == nil:
	case !w.byEnds:
		w.touch(Cell{Kind: cellLane, Index: w.slots[l.slot].index}, write)
	default:
		for _, k := range [3]CellKind{cellTail, cellHead, cellRoom} {
			w.touch(Cell{Kind: k, Index: w.endsOf(l)}, write)
		}
	}
}

// touchTail declares that a message is put at the end of a lane.
func (w *World) touchTail(l *lane) {
	if w.footprint == nil || !w.byEnds {
		w.touchLane(l, true)
		return
	}
	if !w.isNew(w.conns[w.slots[l.slot].index/2].id) {
		w.touch(Cell{Kind: cellTail, Index: w.endsOf(l)}, true)
	}
}

// touchHead declares that the first message of a lane is taken. Only a lane with a bound says how many
// there are.
func (w *World) touchHead(l *lane) {
	if w.footprint == nil || !w.byEnds {
		w.touchLane(l, true)
		return
	}
	ends := w.endsOf(l)
	w.touch(Cell{Kind: cellHead, Index: ends}, true)
	w.touch(Cell{Kind: cellOpen, Index: ends}, true)
	w.touch(Cell{Kind: cellRoom, Index: ends}, l.room > 0)
	if l.room > 0 {
		w.touch(Cell{Kind: cellTail, Index: ends}, false)
	}
}

// touchHeld declares that a lane is held, or is not any more.
func (w *World) touchHeld(l *lane) {
	if w.footprint == nil || !w.byEnds {
		w.touchLane(l, true)
		return
	}
	w.touch(Cell{Kind: cellHead, Index: w.endsOf(l)}, true)
}

// touchRoom declares a look at whether a lane has room.
func (w *World) touchRoom(l *lane) {
	if w.footprint == nil || !w.byEnds {
		w.touchLane(l, false)
		return
	}
	ends := w.endsOf(l)
	w.touch(Cell{Kind: cellRoom, Index: ends}, false)
	if l.room > 0 {
		w.touch(Cell{Kind: cellTail, Index: ends}, false)
	}
}

// touchConn declares a use of a connection by the node that acts.
func (w *World) touchConn(c Conn, write bool) {
	switch {
	case w.footprint == nil:
	case !w.byEnds:
		w.touch(Cell{Kind: cellConn, Index: int32(c.index())}, write)
	case w.find(c) == nil:
		w.touch(Cell{Kind: cellGone, Index: int32(w.env.node)}, true)
	case w.isNew(c):
	default:
		w.touch(Cell{Kind: cellConn, Index: w.ends(c.index())}, write)
	}
}

// isNew reports whether the present step has opened a connection last. No other step can have to do with it.
func (w *World) isNew(c Conn) bool { return w.opened == c && w.openedIn == w.step }

// touchOpened declares that there is one connection more between two nodes. Two steps that open one do not
// conflict: the numbers of connections are in no cell.
func (w *World) touchOpened(c Conn) {
	if w.opened, w.openedIn = c, w.step; w.footprint != nil && w.byEnds {
		ends := w.ends(c.index())
		w.touch(Cell{Kind: cellOpen, Index: ends}, false)
		w.touch(Cell{Kind: cellOpen, Index: ends | 1}, false)
	}
}

// touchFreed declares that a connection is gone from now on.
func (w *World) touchFreed(i int) {
	switch {
	case w.footprint == nil:
	case !w.byEnds:
		w.touch(Cell{Kind: cellConn, Index: int32(i)}, true)
	default:
		w.touch(Cell{Kind: cellConn, Index: w.ends(i)}, true)
		w.touch(Cell{Kind: cellGone, Index: int32(w.conns[i].opener)}, false)
		w.touch(Cell{Kind: cellGone, Index: int32(w.conns[i].acceptor)}, false)
	}
}

// NameByEnds has connections go by their ends in cells: those between the same nodes and of the same
// kind are one. States that differ in the numbers of connections only have the same cells then. A
// lane is three cells: taking its first message and adding one behind the last are no conflict.
func (w *World) NameByEnds() { w.byEnds = true }

// ends is the name of a connection by its ends, in a world of so many nodes.
func (k *conn) ends(nodes int) int32 {
	return (int32(k.opener)*int32(nodes)+int32(k.acceptor))<<2 | int32(k.kind)<<1
}

func (w *World) ends(i int) int32 { return w.conns[i].ends(len(w.nodes)) }

// endsOf is the name of a lane by the ends of its connection.
func (w *World) endsOf(l *lane) int32 {
	n := w.slots[l.slot].index
	return w.ends(int(n/2)) | n&1
}

// Thread is what takes a step, if connections go by their ends: a loop, a timer, a fault, or what hands over
// the messages between two nodes. It goes by a cell that each of its steps writes. several is whether there is more
// than one connection on which it does so.
func (p *Parts) Thread(s State, a Action) (thread Cell, several bool) {
	l := p.layouts.At(s[placeLayout])
	x := &l.slots[a.Slot]
	switch a.Kind {
	case Deliver:
		k := &p.connParts.At(s[p.placeOfConn(int(x.index/2))]).conn
		return Cell{Kind: cellHead, Index: k.ends(p.nodes) | x.index&1}, p.isOneOfSeveral(s, k)
	case Inject:
		return Cell{Kind: cellFault, Index: x.index}, false
	}
	return Cell{Kind: cellReady, Index: readyIndex(x)}, false
}

// isOneOfSeveral reports whether there are more connections with the ends of this one.
func (p *Parts) isOneOfSeveral(s State, k *conn) bool {
	n := 0
	for _, part := range s[p.placeOfConn(1):] {
		other := &p.connParts.At(part).conn
		if other.state != connFree && other.ends(p.nodes) == k.ends(p.nodes) {
			n++
		}
	}
	return n > 1
}

// TimerThread is the thread of a timer.
func TimerThread(n NodeID, t Timer) Cell {
	return Cell{Kind: cellReady, Index: readyIndex(&slot{action: Action{Node: n, Kind: Fire}, index: int32(t)})}
}

// EachLane visits the threads that hand over messages on the connections that there are in a state, each with whether
// the lane is held: if not, a message is all that it may lack.
func (p *Parts) EachLane(s State, visit func(thread Cell, held bool)) {
	for _, part := range s[p.placeOfConn(1):] {
		x := p.connParts.At(part)
		if x.conn.state == connFree {
			continue
		}
		for i := range x.lanes {
			visit(Cell{Kind: cellHead, Index: x.conn.ends(p.nodes) | int32(i)}, x.lanes[i].stopped())
		}
	}
}

// Wakes are the cells of which a step touches one that gives a thread something to do: a thread that hands over messages
// lacks a connection, a message, or a lane that is not held. For other threads it is one cell.
func Wakes(thread Cell) (opened, sent, released Cell) {
	if thread.Kind != cellHead {
		return thread, thread, thread
	}
	return Cell{Kind: cellOpen, Index: thread.Index}, Cell{Kind: cellTail, Index: thread.Index}, thread
}

// KeepNumbers makes each connection from now on have a number that none had before, until
// the world is reset. Then two steps that open connections do not differ, in either order, by
// a number that was free.
func (w *World) KeepNumbers() { w.fresh = true }

// Connections is how many numbers of connections there are.
func (w *World) Connections() int { return len(w.conns) }

// OfConnection reports whether the cell belongs to a connection with this number or a
// higher one.
func (c Cell) OfConnection(least int) bool {
	switch c.Kind {
	case cellConn:
		return int(c.Index) >= least
	case cellLane:
		return int(c.Index)/2 >= least
	}
	return false
}

// Celled is an optional capability: a node whose state is nothing but its cells.
// Its fingerprint is FoldCells, so state that belongs to no cell cannot be
// forgotten in one of the two.
type Celled interface {
	// Cells calls visit for each cell that is not empty, always in the same order,
	// with a digest of what is in it.
	Cells(visit CellVisitor)
}

// CellVisitor takes a cell of a node and a digest of what is in it.
type CellVisitor = func(k CellKind, index int, contents Digest)

// FoldCells is the fingerprint of a node that lists its cells.
func FoldCells(d Digest, n Celled) Digest { return FoldCellsBut(d, n) }

// FoldCellsBut is the same without cells of these kinds: what is left of the node if
// judges are not there (Recorder).
func FoldCellsBut(d Digest, n Celled, records ...CellKind) Digest {
	n.Cells(func(k CellKind, index int, contents Digest) {
		if !slices.Contains(records, k) {
			d = d.Word(uint64(k)<<32 | uint64(uint32(index))).Fold(contents)
		}
	})
	return d
}
