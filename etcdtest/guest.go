//go:build wasip1 && watchbed

package etcdtest

import (
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe" // for go:linkname, too
)

// hostBegin tells the host of `simrun test` which draws begin, how their schedule is run alone, and behind a slash the turns
// that goroutines pass, if they are not drawn.
//
//go:wasmimport watchbed begin
func hostBegin(seed uint64, alone, order string)

//go:wasmimport watchbed turn
func hostTurn() uint32

// hostPassed copies the turns that goroutines passed, and says how long the text is.
//
//go:wasmimport watchbed passed
func hostPassed(to unsafe.Pointer, size uint32) uint32

// seedRuntime seeds all generators of package runtime, which has it in a test that `simrun test` compiles.
//
//go:linkname seedRuntime runtime.watchbedSeed
func seedRuntime(seed uint64)

// Collections of garbage come between schedules, so that none has goroutines of the collector, unless it fills the memory.
const (
	collectAt = 64 << 20
	mostBytes = 768 << 20
)

// heap is how many bytes of the memory are in use.
func heap() uint64 {
	var used runtime.MemStats
	runtime.ReadMemStats(&used)
	return used.HeapAlloc
}

func init() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mostBytes)
	host.exact, host.command = true, os.Getenv("WATCHBED_TEST")
	host.isFull = func() bool { return heap() > mostBytes/4 }
	host.begin = func(t trial, alone string) {
		if heap() > collectAt {
			runtime.GC()
			// Finalizers and cleanups run now.
			for range 100 {
				runtime.Gosched()
			}
		}
		seed := rand.NewPCG(t.seed, t.variant).Uint64() + t.order
		order := ""
		if t.turns != nil {
			order = "/" + strings.Join(t.turns, ",")
		}
		hostBegin(seed, alone, order)
		seedRuntime(seed)
	}
	host.turn = func() int { return int(hostTurn()) }
	host.passed = func() string {
		for size := 1 << 16; ; {
			text := make([]byte, size)
			if size = int(hostPassed(unsafe.Pointer(&text[0]), uint32(len(text)))); size <= len(text) {
				return string(text[:size])
			}
		}
	}
}
