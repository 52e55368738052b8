package overlay

import _ "embed"

//go:embed runtime_files.go.txt
var fileHooks string

// filePatches are the changes of the Go distribution for guests with files: a goroutine that syncs one waits until the
// host lets it go on.
var filePatches = []patch{
	{"syscall/fs_wasip1.go", []change{
		{"func Fsync(fd int) error {\n	errno := fd_sync(int32(fd))\n",
			"// See runtime/watchbed_files.go.\nfunc watchbedSync() uint64\n\n" +
				"//go:wasmimport watchbed sync\n//go:noescape\nfunc watchbedHostSync(fd int32, written uint64) Errno\n\n" +
				"func Fsync(fd int) error {\n	errno := watchbedHostSync(int32(fd), watchbedSync())\n"},
	}},
}

// Plain is a guest that is made of the Go distribution alone, and has files.
var Plain = Program{files: true}
