package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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
	rand    *rand.Rand
	// alone is the command that runs the schedule alone, empty between schedules.
	alone string
	// gives is how often of 1,024 times a goroutine lets others go first where it takes a lock.
	gives int
}

// A clock of a command goes on by an instant with each reading, and by a turn with each goroutine that is picked: in
// about as much time as the program takes natively.
const (
	instant = 1_000
	turn    = 20_000
)

// maxRounds is how many rounds of loops a goroutine of a command may take in a row: half a minute's worth. A search for
// what explains a history takes seconds.
const maxRounds = 1 << 32

// Begin starts the draws of a seed.
func (d *drawn) Begin(seed uint64) {
	d.rand = rand.New(rand.NewPCG(seed, 0))
	d.gives = []int{0, 0, 16, 128}[d.rand.IntN(4)]
	d.machine.loops.Set(maxRounds)
}

// Pick implements Host.
func (d *drawn) Pick(runnable []Goroutine, _ bool) int {
	if d.until.Err() != nil {
		panic(sys.NewExitError(0))
	}
	d.machine.now += turn
	d.machine.loops.Set(maxRounds)
	if len(runnable) == 1 {
		return 0
	}
	return d.rand.IntN(len(runnable))
}

// Select implements Host.
func (d *drawn) Select(_ Goroutine, n int) int { return d.rand.IntN(n) }

// Lock implements Host.
func (d *drawn) Lock(Goroutine) bool { return d.gives > 0 && d.rand.IntN(1024) < d.gives }

// Random implements Random.
func (d *drawn) Random(_ Goroutine, p []byte) {
	for i := range p {
		p[i] = byte(d.rand.Uint32())
	}
}

func (m *machine) begin(stack []uint64) {
	if d, is := m.host.(*drawn); is {
		d.Begin(stack[0])
		d.alone = string(m.at(stack[1], stack[2]))
	}
}
