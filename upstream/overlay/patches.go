package overlay

// patches are all changes of the Go distribution. Each is as small as it can be: what the
// hooks do is in runtime_hooks.go.txt.
var patches = []patch{
	{"runtime/proc.go", []change{
		// The next goroutine is picked among all that can run.
		{"	// Check the global runnable queue once in a while to ensure fairness.\n",
			"	if gp := watchbedNext(pp); gp != nil {\n		return gp, false, false\n	}\n\n	// Check the global runnable queue once in a while to ensure fairness.\n"},
		// A goroutine is named by where it is created, and by how many were before.
		{"	newg.startpc = fn.fn\n", "	newg.startpc = fn.fn\n	watchbedDescribe(newg)\n"},
	}},
	{"runtime/runtime2.go", []change{
		{"	startpc         uintptr         // pc of goroutine function\n",
			"	startpc         uintptr         // pc of goroutine function\n	watchbed        watchbedCandidate // how the host knows the goroutine\n"},
	}},
	{"runtime/select.go", []change{
		// The order of the cases is theirs in the source ...
		{"		j := cheaprandn(uint32(norder + 1))\n", "		j := norder\n"},
		// ... except for the one that is taken if several could be.
		{"	// pass 1 - look for something already waiting\n",
			"	watchbedSelect(scases, pollorder, nsends)\n\n	// pass 1 - look for something already waiting\n"},
	}},
	// A goroutine may let others go first where it takes a lock: between two critical sections of a goroutine others
	// have theirs. RWMutex.Lock takes a Mutex, too.
	{"sync/runtime.go", []change{
		{"func throw(string)\n", "// See runtime/watchbed.go.\nfunc watchbedLock()\n\nfunc throw(string)\n"},
	}},
	{"sync/mutex.go", []change{
		{"func (m *Mutex) Lock() {\n", "func (m *Mutex) Lock() {\n	watchbedLock()\n"},
	}},
	{"sync/rwmutex.go", []change{
		{"func (rw *RWMutex) RLock() {\n", "func (rw *RWMutex) RLock() {\n	watchbedLock()\n"},
	}},
	{"runtime/lock_wasip1.go", []change{
		// With nothing to run the host decides what happens next.
		{"func beforeIdle(int64, int64) (*g, bool) {\n	return nil, false\n}\n",
			"func beforeIdle(_, pollUntil int64) (*g, bool) {\n	return watchbedIdle(pollUntil)\n}\n"},
	}},
	{"runtime/mem_wasm.go", []change{
		// A restored guest believes to have less memory than it has: memory cannot shrink.
		{"		grow := (bl + n - blocMax) / physPageSize\n		size := growMemory(int32(grow))\n		if size < 0 {\n			return nil\n		}\n",
			"		if grow := int32((bl+n+physPageSize-1)/physPageSize) - currentMemory(); grow > 0 {\n			if growMemory(grow) < 0 {\n				return nil\n			}\n		}\n"},
	}},
}
