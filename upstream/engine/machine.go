package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"
)

// machine is an instance of a module, in which one guest is at a time. Its program is
// a coroutine that goes from one idle point to the next.
type machine struct {
	module   *Module
	instance api.Module
	memory   *memory
	globals  []api.MutableGlobal
	// loops is how many rounds of loops the program may still take (CountLoops).
	loops api.MutableGlobal
	// owner is the guest that is in the machine; busy, that it runs.
	owner *Guest
	busy  bool

	// proceed lets the program go on until it is idle, stop gives it up.
	proceed func() (waiting, bool)
	stop    func()
	yield   func(waiting) bool
	// ended is why the program is over, nil as long as it is not.
	ended error

	host Host
	// files are those of the host, nil if it has none.
	files Files
	// running is the goroutine that the host picked last.
	running Goroutine
	now     int64
	// message is what the program finds when it goes on, nil if it is the time.
	message []byte
	// inbox is where a message goes, inboxSize how large it may be.
	inbox, inboxSize uint32
	// stderr is what the program has written, the end of it.
	stderr bytes.Buffer
	// names are the texts at the addresses of the program.
	names    map[uint32]string
	runnable []Goroutine
}

// waiting is what the program waits for: a time, 0 for none, and whether for a message as
// well.
type waiting struct {
	until    int64
	receives bool
}

// epoch is the wall clock at the beginning of a run, in seconds.
const epoch = 1_767_225_600

// origin is what the guest's monotonic clock says at time 0: the Go runtime does not start with a clock
// that says 0 (runtime.main). Times that the guest waits for are of that clock.
const origin = 1

// instantiate makes the program ready to start, with a clock that the host has.
func (m *machine) instantiate(config wazero.ModuleConfig, nanotime func() int64) (context.Context, error) {
	ctx := context.WithValue(context.Background(), machineKey{}, m)
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory {
		m.memory = newMemory(uint64(m.module.memory))
		return m.memory
	}))
	config = config.WithName("").WithStartFunctions().WithRandSource(randomSource{m}).WithNanotime(nanotime, sys.ClockResolution(1)).
		WithWalltime(func() (int64, int32) { return epoch + m.now/1e9, int32(m.now % 1e9) }, sys.ClockResolution(1))
	var err error
	if m.instance, err = m.module.runtime.InstantiateModule(ctx, m.module.compiled, config); err != nil {
		return nil, fmt.Errorf("the guest cannot be started: %w", err)
	}
	var counted bool
	if m.loops, counted = m.instance.ExportedGlobal(LoopsName).(api.MutableGlobal); !counted {
		return nil, fmt.Errorf("the guest does not export %s: build it again", LoopsName)
	}
	return ctx, nil
}

// boot starts the program and lets it run until it waits for its first message.
func (m *machine) boot() error {
	config := wazero.NewModuleConfig().WithArgs("guest").WithStderr(&m.stderr).WithStdout(&m.stderr)
	ctx, err := m.instantiate(config, func() int64 { return m.now + origin })
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		g := m.instance.ExportedGlobal(fmt.Sprintf("%s%d", GlobalName, i))
		if g == nil {
			break
		}
		mutable, ok := g.(api.MutableGlobal)
		if !ok {
			return fmt.Errorf("global %d of the guest cannot be set", i)
		}
		m.globals = append(m.globals, mutable)
	}
	if len(m.globals) == 0 {
		return fmt.Errorf("the guest does not export its globals as %s0 and so on: build it again", GlobalName)
	}
	m.proceed, m.stop = iter.Pull(func(yield func(waiting) bool) {
		m.yield = yield
		_, m.ended = m.instance.ExportedFunction("_start").Call(ctx)
		if m.ended == nil {
			m.ended = errNotIdle
		}
	})
	m.host = first{}
	for {
		w, ok := m.proceed()
		switch {
		case !ok:
			return m.end()
		case w.receives:
			return nil
		case w.until == 0:
			return errNotIdle
		}
		m.now = max(m.now, w.until)
	}
}

// GlobalName is the name under which a guest exports its globals, with a number behind it.
const GlobalName = "watchbed_global_"

// first is the host while a program boots: what comes first is taken.
type first struct{}

func (first) Pick([]Goroutine, bool) int { return 0 }
func (first) Select(Goroutine, int) int  { return 0 }
func (first) Lock(Goroutine) bool        { return false }
func (first) CanSend(uint32) bool        { return true }
func (first) Send([]byte)                {}

func (m *machine) run(h Host, now int64, message []byte) (until int64, err error) {
	m.host, m.now, m.message = h, now, message
	if uint64(len(message))+4 > uint64(m.inboxSize) {
		return 0, fmt.Errorf("a message of %d bytes does not fit into the %d of the guest", len(message), m.inboxSize)
	}
	if d, ok := h.(Disked); ok {
		m.files = d.Files()
	}
	m.loops.Set(maxLoops)
	w, ok := m.proceed()
	m.host, m.files = nil, nil
	if !ok {
		return 0, m.end()
	}
	if !w.receives {
		return 0, errors.New("the guest waits, and not for messages")
	}
	return w.until, nil
}

func (m *machine) end() error {
	if m.loops.Get() == 0 {
		return spinning(m.ended, maxLoops)
	}
	text := m.stderr.String()
	var exit *sys.ExitError
	if text == "" || !errors.As(m.ended, &exit) && text == "" {
		return fmt.Errorf("the guest ended: %w", m.ended)
	}
	return crash(text)
}

func (m *machine) close() {
	m.stop()
	m.instance.Close(context.Background())
}

func (m *machine) readGlobals() []uint64 {
	values := make([]uint64, len(m.globals))
	for i, g := range m.globals {
		values[i] = g.Get()
	}
	return values
}

// idle is called by the program when all its goroutines wait, or the host lets none of them go on.
func (m *machine) idle(stack []uint64) {
	w := waiting{receives: uint32(stack[1]) != 0}
	if due := int64(stack[0]); due != 0 {
		w.until = due - origin
	}
	if !m.yield(w) {
		// The machine is given up.
		panic(sys.NewExitError(0))
	}
	if m.message == nil {
		stack[0] = 0
		return
	}
	binary.LittleEndian.PutUint32(m.memory.bytes[m.inbox:], uint32(len(m.message)))
	copy(m.memory.bytes[m.inbox+4:], m.message)
	m.message, m.running = nil, Goroutine{}
	stack[0] = 1
}

// candidateSize is the size of watchbedCandidate in the overlay.
const candidateSize = 20

func (m *machine) pick(stack []uint64) {
	// The highest bit says whether a goroutine waits for a message.
	at, n, receives := uint32(stack[0]), int(uint32(stack[1])&^(1<<31)), uint32(stack[1])>>31 != 0
	m.runnable = m.runnable[:0]
	for i := range n {
		m.runnable = append(m.runnable, m.goroutine(at+uint32(i*candidateSize)))
	}
	picked := m.host.Pick(m.runnable, receives)
	if picked != None {
		m.running = m.runnable[picked]
	}
	stack[0] = uint64(uint32(int32(picked)))
}

func (m *machine) choose(stack []uint64) {
	stack[0] = uint64(m.host.Select(m.goroutine(uint32(stack[0])), int(uint32(stack[1]))))
}

func (m *machine) lock(stack []uint64) {
	yields := m.host.Lock(m.goroutine(uint32(stack[0])))
	stack[0] = 0
	if yields {
		stack[0] = 1
	}
}

func (m *machine) goroutine(at uint32) Goroutine {
	word := func(i uint32) uint32 { return binary.LittleEndian.Uint32(m.memory.bytes[at+4*i:]) }
	// The highest bit of the ordinal says that the goroutine syncs.
	return Goroutine{Function: m.text(word(0), word(1)), Site: m.text(word(2), word(3)), Ordinal: word(4) &^ (1 << 31), Syncs: word(4)>>31 != 0}
}

// text is a text of the program, which never changes.
func (m *machine) text(at, length uint32) string {
	s, known := m.names[at]
	if !known {
		s = string(m.memory.bytes[at : at+length])
		m.names[at] = s
	}
	return s
}

func (m *machine) canSend(stack []uint64) {
	can := m.host.CanSend(uint32(stack[0]))
	stack[0] = 0
	if can {
		stack[0] = 1
	}
}

func (m *machine) send(stack []uint64) {
	at, length := uint32(stack[0]), uint32(stack[1])
	m.host.Send(m.memory.bytes[at : at+length])
}

func (m *machine) setInbox(stack []uint64) { m.inbox, m.inboxSize = uint32(stack[0]), uint32(stack[1]) }
