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
	CellConn  = NewCell("world: connection")
	CellLane  = NewCell("world: messages under way")
	cellReady = NewCell("world: timer or loop")
	// CellTicks is the counter behind Env.Tick. Each reading writes the
	// item of its number, so that an observer finds the step of a tick in a history.
	CellTicks = NewCell("world: order of calls and returns")
	// No step writes these: two steps that read one of them commute. CellNumbers is which connections there are, by the
	// number of the one that the step opens. CellNode is another node that the step has act. CellUnderWay is all
	// messages that a node has sent.
	CellPhase    = NewCell("world: phase")
	CellNumbers  = NewCell("world: numbers of connections")
	CellNode     = NewCell("world: another node")
	CellUnderWay = NewCell("world: all messages of a node")
)

// RecordCells makes the world add the cells that each step touches to f, until
// the next call; nil ends it. The caller empties f between steps.
func (w *World) RecordCells(f *Footprint) { w.footprint = f }

// Read declares that what the present step does depends on a cell of the
// acting node. It costs nothing unless a footprint is recorded.
func (e *Env) Read(k CellKind, index int) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index)}, false)
	}
}

// Write declares that the present step changes a cell of the acting node. A
// change that does not depend on what was there, such as an increment or an
// append, needs no Reads beside it: a write conflicts with every other use.
func (e *Env) Write(k CellKind, index int) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index)}, true)
	}
}

// ReadItem is Reads of one entry of a cell. Items do not matter for conflicts:
// from them a story finds the step that left the entry there.
func (e *Env) ReadItem(k CellKind, index int, item int64) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index), Item: item}, false)
	}
}

// WriteItem is Writes of one entry of a cell.
func (e *Env) WriteItem(k CellKind, index int, item int64) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index), Item: item}, true)
	}
}

// LookAt declares that the present step looks at a cell only to see whether a
// loop has something to do, or which place is free. It conflicts like Reads, and
// a story does not follow it.
func (e *Env) LookAt(k CellKind, index int) {
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: k, Node: e.node, Index: int32(index), Item: NoItem}, false)
	}
}

// Recording reports whether cells are recorded: a guard for what is computed only
// to name an item.
func (e *Env) Recording() bool { return e.w.footprint != nil }

// TouchAll declares that the present step may read and write anything.
func (e *Env) TouchAll() {
	if e.w.footprint != nil {
		e.w.footprint.All = true
	}
}

// touch is not inlined: each package that knows a type with cells compiles the methods of its state.Var anew.
//
//go:noinline
func (w *World) touch(c Cell, write bool) {
	w.footprint.Accesses = append(w.footprint.Accesses, Access{c, write})
}

// touchReady declares a use of what says whether a loop or a timer is pending. Its index
// is the same in whichever order loops and timers came up.
func (w *World) touchReady(slot int32, write bool) {
	if w.footprint != nil {
		a := &w.slots[slot].action
		index := int32(a.Node)<<16 | a.Number<<1
		if a.Kind == Fire {
			index |= 1
		}
		w.touch(Cell{Kind: cellReady, Index: index}, write)
	}
}

// looksAt declares that a step depends on a part of the world which no step writes, or on which no story depends.
func (w *World) looksAt(k CellKind, index int) {
	if w.footprint != nil {
		w.touch(Cell{Kind: k, Index: int32(index), Item: NoItem}, false)
	}
}

// touchLane declares a use of the messages under way on a lane.
func (w *World) touchLane(l *lane, write bool) {
	if w.footprint != nil {
		w.touch(Cell{Kind: CellLane, Index: w.slots[l.slot].action.Number}, write)
	}
}

// touchConn declares a use of a connection by the node that acts.
func (w *World) touchConn(c Conn, write bool) {
	if w.footprint != nil {
		w.touch(Cell{Kind: CellConn, Index: int32(c.index())}, write)
	}
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
	case CellConn:
		return int(c.Index) >= least
	case CellLane:
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

// FoldCells is the fingerprint of a node that lists its cells, without cells of some kinds: what is left of the node
// if judges are not there (Recorder).
func FoldCells(d Digest, n Celled, without ...CellKind) Digest {
	n.Cells(func(k CellKind, index int, contents Digest) {
		if !slices.Contains(without, k) {
			d = d.Word(uint64(k)<<32 | uint64(uint32(index))).Fold(contents)
		}
	})
	return d
}
