package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"
)

// Command is a guest that is a whole program, such as a test binary: it runs from its start to its end. What Go leaves
// open is drawn from a seed, which the program sets by the hook begin; until then the seed is 0.
type Command struct {
	// Arguments begin with the name of the program.
	Arguments, Environment []string
	// Temporary is the folder in which the program can write. All other files of the host it can only read.
	Temporary   string
	Out, Errors io.Writer
}

// RunCommand returns the exit code of the program. An error is what the program did not come to one by. It ends soon
// after the context does. An end in the middle of a schedule comes with the command that runs the schedule alone.
func (m *Module) RunCommand(until context.Context, c *Command) (exit int, err error) {
	at := &machine{module: m, names: map[uint32]string{}}
	d := &drawn{machine: at, until: until}
	at.host = d
	deadlocked := false
	at.yield = func(w waiting) bool {
		deadlocked = w.until == 0
		at.now = max(at.now, w.until)
		return !deadlocked
	}
	config := wazero.NewModuleConfig().WithArgs(c.Arguments...).WithStdout(c.Out).WithStderr(c.Errors).
		WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount("/", "/").WithDirMount(c.Temporary, c.Temporary))
	for _, e := range c.Environment {
		name, value, _ := strings.Cut(e, "=")
		config = config.WithEnv(name, value)
	}
	ctx, err := at.instantiate(config, func() int64 { at.now += instant; return at.now + origin })
	if err != nil {
		return 0, err
	}
	defer at.instance.Close(ctx)
	d.Begin(0)
	_, err = at.instance.ExportedFunction("_start").Call(ctx)
	var end *sys.ExitError
	switch {
	case until.Err() != nil:
		return 0, until.Err()
	case deadlocked:
		err = errors.New("all goroutines wait, and nothing is left that could wake one")
	case at.loops.Get() == 0:
		err = errors.New(spinning(err, maxRounds).text())
	case errors.As(err, &end):
		if d.alone != "" {
			fmt.Fprintln(c.Errors, "run it alone: "+d.alone)
		}
		return int(end.ExitCode()), nil
	case err != nil:
		err = fmt.Errorf("the program ended: %w", err)
	}
	if err != nil && d.alone != "" {
		err = fmt.Errorf("%w; run it alone: %s", err, d.alone)
	}
	return 0, err
}

// drawn is the host of a command, which has no messages.
type drawn struct {
	first
	machine *machine
	until   context.Context
	// order draws which goroutine runs next, rest all else.
	order, rest *rand.Rand
	// alone is the command that runs the schedule alone, empty between schedules.
	alone string
	// gives is how often of 1,024 times a goroutine lets others go first where it takes or gives back a lock, or uses a channel.
	gives int
	// turns is how many there were: picks of one of several goroutines, and places where one may let others go first.
	turns int
	// goroutines are those that had a turn, by where they were created and in which order, sites how many of a place.
	goroutines map[created]*turned
	sites      map[string]int
	// held is how many are held, able those that a pick is of.
	held int
	able []int
	// given are the turns that a goroutine passes, nil if they are drawn, and passed those that it did.
	given  map[string]bool
	passed []passed
}

type created struct {
	site    string
	ordinal uint32
}

// turned names a goroutine in a schedule, and counts its turns. It is held from when it lets others go first until there are
// no others.
type turned struct {
	name  string
	turns int
	held  bool
}

// passed is a turn that a goroutine passed: by its own count, and by that of all. to is the goroutine that went instead, of
// no name if it let all others go.
type passed struct {
	turn   string
	at     int
	by, to Goroutine
}

// A clock of a command goes on by an instant with each reading, and by a turn with each goroutine that is picked: in
// about as much time as the program takes natively.
const (
	instant  = 1_000
	turnTime = 20_000
)

// maxRounds is how many rounds of loops a goroutine of a command may take in a row: half a minute's worth. A search for
// what explains a history takes seconds.
const maxRounds = 1 << 32

// Begin starts the draws of a seed.
func (d *drawn) Begin(seed uint64) {
	d.order, d.rest = rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 0))
	d.gives = []int{0, 16, 128, 512}[d.order.IntN(4)]
	d.turns, d.held, d.goroutines, d.sites, d.given, d.passed = 0, 0, map[created]*turned{}, map[string]int{}, nil, nil
	d.machine.loops.Set(maxRounds)
}

// of is what is known of a goroutine. Its name is made of what stays the same if others take their turns elsewhere.
func (d *drawn) of(g *Goroutine) *turned {
	key := created{g.Site, g.Ordinal}
	t := d.goroutines[key]
	if t == nil {
		hash := fnv.New32a()
		fmt.Fprint(hash, g.Site, d.sites[g.Site])
		d.sites[g.Site]++
		t = &turned{name: fmt.Sprintf("%05x", hash.Sum32()&0xfffff)}
		d.goroutines[key] = t
	}
	return t
}

// turn counts a turn of a goroutine and names it.
func (t *turned) turn() string {
	t.turns++
	return t.name + "." + strconv.Itoa(t.turns)
}

// Pick implements Host.
func (d *drawn) Pick(runnable []Goroutine, _ bool) int {
	if d.until.Err() != nil {
		panic(sys.NewExitError(0))
	}
	d.machine.now += turnTime
	d.machine.loops.Set(maxRounds)
	d.able = d.able[:0]
	for i := range runnable {
		if d.held == 0 || !d.of(&runnable[i]).held {
			d.able = append(d.able, i)
		}
	}
	if len(d.able) == 0 {
		for i := range runnable {
			d.of(&runnable[i]).held = false
			d.able = append(d.able, i)
		}
		d.held -= len(runnable)
	}
	if len(d.able) == 1 {
		return d.able[0]
	}
	d.turns++
	drawn := 0
	if d.given == nil {
		drawn = d.order.IntN(len(d.able))
	}
	before := len(d.passed)
	for at, i := range d.able {
		turn := d.of(&runnable[i]).turn()
		if at == len(d.able)-1 || d.given == nil && at == drawn || d.given != nil && !d.given[turn] {
			for j := range d.passed[before:] {
				d.passed[before+j].to = runnable[i]
			}
			return i
		}
		d.passed = append(d.passed, passed{turn: turn, at: d.turns, by: runnable[i]})
	}
	panic("the last one goes")
}

// Select implements Host.
func (d *drawn) Select(_ Goroutine, n int) int { return d.rest.IntN(n) }

// Lock implements Host.
func (d *drawn) Lock(g Goroutine) bool {
	d.turns++
	t := d.of(&g)
	turn := t.turn()
	passes := d.given[turn]
	if d.given == nil {
		passes = d.gives > 0 && d.order.IntN(1024) < d.gives
	}
	if passes {
		d.passed = append(d.passed, passed{turn: turn, at: d.turns, by: g})
		t.held = true
		d.held++
	}
	return passes
}

// Random implements Random.
func (d *drawn) Random(_ Goroutine, p []byte) {
	for i := range p {
		p[i] = byte(d.rest.Uint32())
	}
}

func (m *machine) begin(stack []uint64) {
	if d, is := m.host.(*drawn); is {
		d.Begin(stack[0])
		d.alone = string(m.at(stack[1], stack[2]))
		if order, given := strings.CutPrefix(string(m.at(stack[3], stack[4])), "/"); given {
			d.given = map[string]bool{}
			for turn := range strings.SplitSeq(order, ",") {
				d.given[turn] = true
			}
		}
	}
}

// turn is how many turns the schedule had.
func (m *machine) turn(stack []uint64) {
	stack[0] = 0
	if d, is := m.host.(*drawn); is {
		stack[0] = uint64(d.turns)
	}
}

// passed copies the turns that goroutines passed, a line each, and says how long that is.
func (m *machine) passed(stack []uint64) {
	var text bytes.Buffer
	if d, is := m.host.(*drawn); is {
		for _, p := range d.passed {
			fmt.Fprintf(&text, "%s\t%d\t%s\t%d\t%s\t%d\n", p.turn, p.at, p.by.Function, p.by.Ordinal, p.to.Function, p.to.Ordinal)
		}
	}
	copy(m.at(stack[0], stack[1]), text.Bytes())
	stack[0] = uint64(text.Len())
}
