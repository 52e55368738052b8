package state_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
)

// till is a node that tests act as.
type till struct {
	name  string
	total state.Var[int64] `cell:"state test: total"`
	stock state.Var[stock] `cell:"state test: stock"`
	line  struct {
		people state.List[person] `cell:"state test: people"`
	}
}

type person struct{ number, age int64 }

func (p *person) Item() int64                    { return p.number }
func (p *person) Digest(d sim.Digest) sim.Digest { return d.Int(p.age) }

// stock is a value of several fields.
type stock struct {
	shelves [][]uint8
	open    bool
	to      sim.Conn
	waiting []struct{ from, kept sim.Conn }
	last    *item
	prices  state.Tree[*item]
	notes   []string `cell:"-"`
}

type item struct{ name, price int64 }

func (i *item) Digest(d sim.Digest) sim.Digest { return d.Int(i.name).Int(i.price) }
func (i *item) Before(other *item) bool        { return i.name < other.name }

var layout = state.Of[till]()

func (n *till) Start(*sim.Env)                 {}
func (n *till) Receive(*sim.Env, *sim.Message) {}
func (n *till) Fire(*sim.Env, sim.Timer)       {}
func (n *till) Run(*sim.Env, sim.Task)         {}
func (n *till) TaskName(sim.Task) string       { return "" }
func (n *till) TimerName(sim.Timer) string     { return "" }

// acting returns what a step of the node declares.
func acting(t *testing.T, n *till, step func(env *sim.Env)) []sim.Access {
	t.Helper()
	var f sim.Footprint
	w := sim.NewWorld(sim.Options{})
	w.Add(n.name, acts{n, step})
	w.RecordCells(&f)
	w.Start(nil)
	return f.Accesses
}

// acts is a node that takes a step when it starts.
type acts struct {
	*till
	step func(env *sim.Env)
}

func (a acts) Start(env *sim.Env) { a.step(env) }

func newTill() *till {
	n := &till{}
	layout.Reset(n, 3, till{name: "till"})
	return n
}

func TestAStepDeclaresTheValuesItUses(t *testing.T) {
	n := newTill()
	used := acting(t, n, func(env *sim.Env) {
		n.total.Set(env, 5)
		*n.total.Change(env) += 2
		assert.EqualValues(t, 7, n.total.Get(env))
		assert.EqualValues(t, 7, *n.total.Look(env))
	})
	require.Len(t, used, 4)
	for i, want := range []struct {
		write bool
		item  int64
	}{{true, 0}, {true, 0}, {false, 0}, {false, sim.NoItem}} {
		assert.Equal(t, "state test: total", used[i].Cell.Kind.String())
		assert.EqualValues(t, 3, used[i].Cell.Index)
		assert.Equal(t, want.write, used[i].Write, i)
		assert.Equal(t, want.item, used[i].Cell.Item, i)
	}
}

func TestAListDeclaresTheValuesThatAreTakenOut(t *testing.T) {
	n := newTill()
	acting(t, n, func(env *sim.Env) {
		for number, age := range []int64{40, 30, 20, 10} {
			n.line.people.Add(env, person{int64(number + 1), age})
		}
	})
	var taken []int64
	used := acting(t, n, func(env *sim.Env) {
		for p := range n.line.people.Take(env, func(p *person) bool { return p.age < 40 }) {
			if taken = append(taken, p.age); p.age == 20 {
				break
			}
		}
	})
	assert.Equal(t, []int64{30, 20}, taken)
	require.Len(t, used, 5, "one look, and a read and a write of each that was taken out")
	assert.EqualValues(t, 2, used[1].Cell.Item)
	assert.EqualValues(t, 3, used[4].Cell.Item)
	var left []int64
	acting(t, n, func(env *sim.Env) {
		for p := range n.line.people.Take(env, func(*person) bool { return true }) {
			left = append(left, p.age)
		}
	})
	assert.Equal(t, []int64{40, 10}, left, "a loop that ends early leaves the others there")
}

func fingerprint(n *till) (d sim.Digest) {
	d = sim.NewDigest
	layout.Cells(n, func(k sim.CellKind, index int, contents sim.Digest) {
		d = d.Text(k.String()).Int(int64(index)).Fold(contents)
	})
	return d
}

func TestACloneGoesItsOwnWay(t *testing.T) {
	n := newTill()
	acting(t, n, func(env *sim.Env) { n.line.people.Add(env, person{1, 40}) })
	c := layout.Clone(n)
	assert.Equal(t, "till", c.name)
	assert.Equal(t, fingerprint(n), fingerprint(c))
	before := fingerprint(n)
	acting(t, c, func(env *sim.Env) {
		c.line.people.Delete(env, func(*person) bool { return true })
		c.line.people.Add(env, person{2, 30})
	})
	assert.Equal(t, before, fingerprint(n), "the first is as it was")
	assert.NotEqual(t, before, fingerprint(c))
	acting(t, c, func(env *sim.Env) { c.total.Set(env, 1) })
	layout.Reset(c, 3, till{})
	assert.Equal(t, fingerprint(newTill()), fingerprint(c), "a node that was reset is a new one")
}

func TestAFingerprintHasWhatIsInAValue(t *testing.T) {
	changes := []func(s *stock){
		func(s *stock) { s.shelves[1][0]++ },
		func(s *stock) { s.shelves = append(s.shelves, nil) },
		func(s *stock) { s.open = true },
		func(s *stock) { s.to = 5 },
		func(s *stock) { s.last = nil },
		func(s *stock) { s.prices.Put(&item{2, 30}) },
		func(s *stock) { s.prices.Put(&item{1, 21}) },
		func(s *stock) { s.prices.Delete(&item{name: 1}) },
		func(s *stock) { s.prices.Clear() },
	}
	n := newTill()
	*n.stock.Value() = stock{shelves: [][]uint8{{1, 2}, {3}}, last: &item{1, 20}, notes: []string{"a"}}
	n.stock.Value().prices.Put(&item{1, 20})
	before := fingerprint(n)
	for i, change := range changes {
		c := layout.Clone(n)
		assert.Equal(t, before, fingerprint(c), i)
		acting(t, c, func(env *sim.Env) { change(c.stock.Change(env)) })
		assert.NotEqual(t, before, fingerprint(c), i)
		assert.Equal(t, before, fingerprint(n), "the first is as it was: %d", i)
	}
	c := layout.Clone(n)
	c.stock.Value().to = 5
	d := layout.Clone(c)
	d.stock.Value().to = 6
	assert.Equal(t, fingerprint(c), fingerprint(d), "the number of a connection is no state")
	d.stock.Value().notes[0] = "b"
	assert.Equal(t, fingerprint(c), fingerprint(d), "a field with the tag - is no state")
	assert.Equal(t, "a", c.stock.Value().notes[0], "and a clone has its own")
}

func TestATreeIsInOrder(t *testing.T) {
	var prices state.Tree[*item]
	_, found := prices.Get(&item{name: 1})
	assert.False(t, found)
	for _, name := range []int64{4, 2, 3, 1} {
		prices.Put(&item{name, 10 * name})
	}
	var all []int64
	collect := func(x *item) bool { all = append(all, x.price); return len(all) < 3 }
	prices.Ascend(collect)
	assert.Equal(t, []int64{10, 20, 30}, all)
	all = nil
	prices.Range(&item{name: 2}, &item{name: 4}, collect)
	assert.Equal(t, []int64{20, 30}, all)
}

func TestAFieldThatRecordsItselfHasAName(t *testing.T) {
	type unnamed struct{ Total state.Var[int64] }
	assert.PanicsWithValue(t, "state: state_test.unnamed.Total: a cell and a tag belong together", func() { state.Of[unnamed]() })
}

// A digest leaves out the numbers of connections, and Conns visits them in its order.
func TestConnectionsAreVisitedInTheOrderOfTheDigest(t *testing.T) {
	n := newTill()
	*n.stock.Value() = stock{to: 3, waiting: []struct{ from, kept sim.Conn }{{5, sim.NoConn}, {4, 7}}}
	var visited []sim.Conn
	layout.Conns(n, func(c sim.Conn) { visited = append(visited, c) })
	assert.Equal(t, []sim.Conn{3, 5, sim.NoConn, 4, 7}, visited)
}

// clerk is a node with two cells of which the fields are its own.
type clerk struct {
	name string
	work
	rest
}

type work struct {
	state.Cell[work] `cell:"state test: work"`
	jobs             []int64
	done             int64 `cell:"-"`
}

// Clear keeps the memory.
func (w *work) Clear() { *w = work{jobs: w.jobs[:0]} }

type rest struct {
	state.Cell[rest] `cell:"state test: rest"`
	until            int64
	called           sim.Conn
}

func TestACellOfAStructLeavesItsFieldsToTheOwner(t *testing.T) {
	clerks := state.Of[clerk]()
	var c clerk
	clerks.Reset(&c, 2, clerk{name: "clerk"})
	used := acting(t, newTill(), func(env *sim.Env) {
		c.work.Change(env).jobs = append(c.jobs, 5, 6)
		c.rest.ChangeItem(env, 7).until = 8
		assert.EqualValues(t, 8, c.rest.Read(env).until)
		assert.EqualValues(t, 8, c.rest.Look(env).until)
		assert.Len(t, c.work.ReadItem(env, 7).jobs, 2)
		clerks.Write(env, &c)
	})
	require.Len(t, used, 7)
	assert.Equal(t, sim.Access{Cell: sim.Cell{Kind: c.work.Kind(), Node: used[0].Cell.Node, Index: 2}, Write: true}, used[0])
	assert.Equal(t, "state test: rest", used[1].Cell.Kind.String())
	cells := func(c *clerk) (all []sim.Digest) {
		clerks.Cells(c, func(_ sim.CellKind, _ int, contents sim.Digest) { all = append(all, contents) })
		return all
	}
	d := clerks.Clone(&c)
	d.done = 1
	assert.Equal(t, cells(&c), cells(d))
	d.jobs[0], d.called = 1, 3
	assert.NotEqual(t, cells(&c), cells(d))
	assert.Equal(t, []int64{5, 6}, c.jobs)
	var held []sim.Conn
	clerks.Conns(d, func(c sim.Conn) { held = append(held, c) })
	assert.Equal(t, []sim.Conn{3}, held)
	clerks.Clear(d)
	assert.Empty(t, cells(d))
	assert.Equal(t, 2, cap(d.jobs))
	assert.Equal(t, "clerk", d.name)
	assert.Len(t, acting(t, newTill(), func(env *sim.Env) { d.rest.Read(env) }), 1)
}

// shop is a node whose tills have cells of their own.
type shop struct {
	tills state.Places[desk] `cell:"state test: desks" free:"counted"`
}

type desk struct {
	number int
	open   state.Var[bool]                    `cell:"state test: open"`
	queue  state.Queue[string]                `cell:"state test: queue"`
	caller state.Var[struct{ conn sim.Conn }] `cell:"state test: caller"`
}

func (d *desk) Free() bool { return !*d.open.Value() }

func newDesk(number int) desk { return desk{number: number} }

var shops = state.Of[shop]()

func digestOf(s *shop) (cells map[string]sim.Digest) {
	cells = map[string]sim.Digest{}
	shops.Cells(s, func(k sim.CellKind, index int, contents sim.Digest) {
		cells[k.String()+" "+strconv.Itoa(index)] = contents
	})
	return cells
}

func TestPlacesHaveCellsOfTheirOwn(t *testing.T) {
	s := &shop{}
	shops.Reset(s, 0, shop{})
	assert.Empty(t, digestOf(s))
	used := acting(t, newTill(), func(env *sim.Env) {
		for range 2 {
			d := s.tills.Free(env, newDesk)
			d.open.Set(env, true)
			d.queue.Push(env, "a")
			d.queue.Push(env, "b")
			assert.Equal(t, "a", d.queue.Pop(env))
			d.caller.Change(env).conn = sim.Conn(d.number + 5)
		}
	})
	require.Len(t, used, 14)
	assert.Equal(t, sim.Cell{Kind: used[0].Cell.Kind, Node: used[0].Cell.Node}, used[0].Cell)
	assert.EqualValues(t, 1, used[10].Cell.Index)
	assert.EqualValues(t, 2, used[10].Cell.Item, "the second value that was added")
	var held []sim.Conn
	shops.Conns(s, func(c sim.Conn) { held = append(held, c) })
	assert.Equal(t, []sim.Conn{5, 6}, held)

	c, before := shops.Clone(s), digestOf(s)
	assert.Len(t, before, 7)
	used = acting(t, newTill(), func(env *sim.Env) { c.tills.Forget(env, c.tills.At(0)) })
	assert.Len(t, used, 4, "a look at the places, and a write of each cell of this one")
	assert.Equal(t, before, digestOf(s), "the first is as it was")
	assert.Len(t, digestOf(c), 4, "a free place has no cells")
	acting(t, newTill(), func(env *sim.Env) {
		assert.Same(t, c.tills.At(0), c.tills.Free(env, newDesk))
		assert.Equal(t, 2, c.tills.Reach(2, newDesk).number)
	})
	shops.Clear(c)
	assert.Empty(t, digestOf(c))
}

func TestAListDeclaresThePlacesThatAreUsed(t *testing.T) {
	n := newTill()
	used := acting(t, n, func(env *sim.Env) {
		people := &n.line.people
		for number := range int64(3) {
			people.Add(env, person{number + 1, 10 * number})
		}
		assert.Equal(t, 1, people.Find(env, func(p person) bool { return p.age == 10 }))
		assert.Equal(t, -1, people.Find(env, func(p person) bool { return p.age == 11 }))
		people.Put(env, 1, person{5, 50})
		assert.EqualValues(t, 1, people.Pop(env, 0).number)
		assert.Len(t, people.Look(env), 2)
		people.Clear(env)
		assert.Empty(t, people.All())
	})
	var items []int64
	for _, a := range used {
		items = append(items, a.Cell.Item)
	}
	assert.Equal(t, []int64{1, 2, 3, sim.NoItem, 2, sim.NoItem, 2, 1, 1, sim.NoItem, 0}, items)
}

// loop is a node with a channel and maps.
type loop struct {
	tasks  state.Chan[string] `cell:"state test: tasks"`
	ages   state.Map[int64]   `cell:"state test: ages"`
	served state.Var[int]     `cell:"state test: served" digest:"-"`
}

var loops = state.Of[loop]()

func itemsOf(used []sim.Access) (items []int64) {
	for _, a := range used {
		items = append(items, a.Cell.Item)
	}
	return items
}

func TestAChannelHasRoomAndWakesItsReceiver(t *testing.T) {
	var l loop
	loops.Reset(&l, 4, loop{})
	used := acting(t, newTill(), func(env *sim.Env) {
		l.tasks.Make(2, 3)
		l.tasks.Leave(env)
		l.tasks.Send(env, "a")
		assert.False(t, l.tasks.Full(env), "which depends on nothing while there is room")
		l.tasks.Select(env)
		l.tasks.Send(env, "b")
		assert.True(t, l.tasks.Full(env))
		assert.Equal(t, "a", l.tasks.Receive(env))
		assert.Equal(t, []string{"b"}, l.tasks.All())
	})
	var wakes []int
	for i, a := range used {
		if a.Cell.Kind.String() == "world: timer or loop" && a.Write {
			wakes = append(wakes, i)
		}
	}
	assert.Equal(t, []int{0, 2, 4}, wakes, "by Leave, by Select with a value, and by Send to a receiver in its select")
	used = slices.DeleteFunc(used, func(a sim.Access) bool { return a.Cell.Kind.String() != "state test: tasks" })
	assert.Equal(t, []int64{1, 2, 0, 1, 1}, itemsOf(used))
	c := loops.Clone(&l)
	loops.Clear(&l)
	assert.Equal(t, 1, c.tasks.Len())
	assert.Zero(t, l.tasks.Len())
}

func TestAMapKeepsNoZeroValues(t *testing.T) {
	var l loop
	loops.Reset(&l, 0, loop{})
	used := acting(t, newTill(), func(env *sim.Env) {
		l.ages.Set(env, 0, 5)
		l.ages.Set(env, 7, 6)
		l.ages.Set(env, 0, 8)
		assert.EqualValues(t, 8, l.ages.Get(env, 0))
		assert.Zero(t, l.ages.Get(env, -1))
		assert.Equal(t, []state.Entry[int64]{{0, 8}, {7, 6}}, l.ages.Entries(env))
		l.ages.Set(env, 7, 0)
		l.ages.Set(env, 9, 0)
		assert.Zero(t, l.ages.Look(env, 7))
		l.served.Set(env, 3)
	})
	assert.Equal(t, []int64{1, 8, 1, 1, sim.NoItem, sim.NoItem, 8, 10, sim.NoItem, 0}, itemsOf(used))
	assert.Equal(t, []state.Entry[int64]{{0, 8}}, l.ages.All())
	c := loops.Clone(&l)
	loops.Clear(&l)
	assert.EqualValues(t, 8, c.ages.Value(0))
	assert.Empty(t, l.ages.All())
	var cells []string
	loops.Cells(c, func(k sim.CellKind, _ int, _ sim.Digest) { cells = append(cells, k.String()) })
	assert.Equal(t, []string{"state test: ages"}, cells, "a fingerprint leaves out what has the tag")
}
