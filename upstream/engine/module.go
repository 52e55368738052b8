package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Module is a compiled guest.
type Module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	// memory is how many bytes a machine may have at most.
	memory int

	lock sync.Mutex
	free sync.Cond
	// machines are those that there are, the one that ran last at the end. rooted says that
	// root and image are known.
	machines []*machine
	root     *State
	image    *image
}

// maxMachines is how many machines a module has at most. Each takes a few megabytes beside what
// all of them share.
const maxMachines = 24

// GuestMemory is how many bytes the memory of a node may have.
const GuestMemory = 256 << 20

// Load compiles a guest, whose memory may have so many bytes. What the compilation takes half a minute for is kept in
// the directory.
func Load(wasm []byte, directory string, memory int) (*Module, error) {
	ctx := context.Background()
	kept, err := wazero.NewCompilationCacheWithDir(directory)
	if err != nil {
		return nil, fmt.Errorf("compiled guests cannot be kept in %s: %w", directory, err)
	}
	m := &Module{memory: memory, runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(kept).WithMemoryLimitPages(uint32(memory/wasmPageSize)))}
	m.free.L = &m.lock
	if err := m.addHooks(ctx); err != nil {
		return nil, err
	}
	if m.compiled, err = m.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), wasm); err != nil {
		return nil, fmt.Errorf("the guest is not compiled for this machine: %w", err)
	}
	dropOldest(directory)
	return m, m.addWASI(ctx)
}

// mostKept is how many bytes of compiled guests are kept. One has 100 to 200 MB.
const mostKept = 3 << 30

// dropOldest removes what was compiled first, as long as there is too much. What cannot be removed stays.
func dropOldest(directory string) {
	type kept struct {
		path string
		fs.FileInfo
	}
	var files []kept
	_ = filepath.WalkDir(directory, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				files = append(files, kept{path, info})
			}
		}
		return nil
	})
	slices.SortFunc(files, func(a, b kept) int { return b.ModTime().Compare(a.ModTime()) })
	left := int64(mostKept)
	for _, f := range files {
		if left -= f.Size(); left < 0 {
			_ = os.Remove(f.path)
		}
	}
}

// hooksName is the module that the overlay imports its hooks from.
const hooksName = "watchbed"

// addHooks adds what the overlay calls. The machine is in the context of the call.
func (m *Module) addHooks(ctx context.Context) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	hooks := m.runtime.NewHostModuleBuilder(hooksName)
	add := func(name string, f func(*machine, []uint64), params, results []api.ValueType) {
		hooks.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			f(ctx.Value(machineKey{}).(*machine), stack)
		}), params, results).Export(name)
	}
	add("idle", (*machine).idle, []api.ValueType{i64, i32}, []api.ValueType{i32})
	add("pick", (*machine).pick, []api.ValueType{i32, i32}, []api.ValueType{i32})
	add("select", (*machine).choose, []api.ValueType{i32, i32}, []api.ValueType{i32})
	add("lock", (*machine).lock, []api.ValueType{i32}, []api.ValueType{i32})
	add("canSend", (*machine).canSend, []api.ValueType{i32}, []api.ValueType{i32})
	add("send", (*machine).send, []api.ValueType{i32, i32}, nil)
	add("inbox", (*machine).setInbox, []api.ValueType{i32, i32}, nil)
	add("written", (*machine).written, nil, []api.ValueType{i64})
	add("begin", (*machine).begin, []api.ValueType{i64, i32, i32, i32, i32}, nil)
	add("turn", (*machine).turn, nil, []api.ValueType{i32})
	add("passed", (*machine).passed, []api.ValueType{i32, i32}, []api.ValueType{i32})
	add("sync", (*machine).sync, []api.ValueType{i32, i64}, []api.ValueType{i32})
	_, err := hooks.Instantiate(ctx)
	return err
}

type machineKey struct{}

// acquire returns a machine in which the guest is, and keeps it for the guest until release.
func (m *Module) acquire(g *Guest) (*machine, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for {
		if at := g.at; at != nil {
			at.busy = true
			return at, nil
		}
		at, err := m.vacate()
		if err != nil {
			return nil, err
		}
		if at != nil {
			at.busy = true
			at.owner, g.at = g, at
			at.load(g.saved)
			return at, nil
		}
		m.free.Wait()
	}
}

// vacate returns a machine without a guest, nil if all are at work.
func (m *Module) vacate() (*machine, error) {
	for _, at := range m.machines {
		if at.owner == nil && !at.busy {
			return at, nil
		}
	}
	if len(m.machines) < maxMachines {
		return m.newMachine()
	}
	for _, at := range m.machines {
		if at.busy {
			continue
		}
		at.owner.leave()
		return at, nil
	}
	return nil, nil
}

// release lets other guests have the machine, the one that ran least recently first.
func (m *Module) release(at *machine) {
	m.lock.Lock()
	defer m.lock.Unlock()
	at.busy = false
	for i, other := range m.machines {
		if other == at {
			m.machines = append(append(m.machines[:i], m.machines[i+1:]...), at)
		}
	}
	m.free.Signal()
}

// discard gives up a machine whose guest has come to an end that nothing comes after.
func (m *Module) discard(at *machine) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for i, other := range m.machines {
		if other == at {
			m.machines = append(m.machines[:i], m.machines[i+1:]...)
		}
	}
	at.owner.at, at.owner = nil, nil
	at.close()
	m.free.Signal()
}

func (m *Module) newMachine() (*machine, error) {
	at := &machine{module: m, names: map[uint32]string{}}
	if err := at.boot(); err != nil {
		return nil, err
	}
	if m.root == nil {
		image, err := newImage(at.memory)
		if err != nil {
			return nil, err
		}
		m.image, m.root = image, &State{globals: at.readGlobals(), size: len(at.memory.bytes)}
	}
	if err := at.memory.mapImage(m.image); err != nil {
		return nil, err
	}
	m.machines = append(m.machines, at)
	return at, nil
}

var errNotIdle = errors.New("the guest has ended before it waited for a message")
