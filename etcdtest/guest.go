//go:build wasip1 && watchbed

package etcdtest

import (
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	_ "unsafe" // for go:linkname
)

// hostBegin tells the host of `simrun test` which draws begin, and how their schedule is run alone.
//
//go:wasmimport watchbed begin
func hostBegin(seed uint64, alone string)

// seedRuntime seeds all generators of package runtime, which has it in a test that `simrun test` compiles.
//
//go:linkname seedRuntime runtime.watchbedSeed
func seedRuntime(seed uint64)

// Collections of garbage come between schedules, so that none has goroutines of the collector, unless it fills the memory.
const (
	collectAt = 64 << 20
	mostBytes = 768 << 20
)

func init() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mostBytes)
	exact, goTest = true, os.Getenv("WATCHBED_TEST")
	memoryIsFull = func() bool {
		var used runtime.MemStats
		runtime.ReadMemStats(&used)
		return used.HeapAlloc > mostBytes/4
	}
	beginTrial = func(t trial, alone string) {
		var used runtime.MemStats
		if runtime.ReadMemStats(&used); used.HeapAlloc > collectAt {
			runtime.GC()
		}
		seed := rand.NewPCG(t.seed, t.variant).Uint64() + t.order
		hostBegin(seed, alone)
		seedRuntime(seed)
	}
}
