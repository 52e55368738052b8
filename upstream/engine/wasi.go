package engine

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// hasFiles says whether a guest has files: it is compiled with the changes for that, which make it ask the host about
// each sync.
func hasFiles(compiled wazero.CompiledModule) bool {
	for _, f := range compiled.ImportedFunctions() {
		if module, name, _ := f.Import(); module == hooksName && name == "sync" {
			return true
		}
	}
	return false
}

// addWASI adds the functions of WASI. Those about files are answered by the host's Files: wazero's own have descriptors
// that no clone has.
func (m *Module) addWASI(ctx context.Context) error {
	builder := m.runtime.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(builder)
	if hasFiles(m.compiled) {
		for _, f := range fileFunctions {
			params := make([]api.ValueType, len(f.params))
			for i, p := range f.params {
				params[i] = api.ValueTypeI32
				if p == 'I' {
					params[i] = api.ValueTypeI64
				}
			}
			builder.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
				stack[0] = uint64(ctx.Value(machineKey{}).(*machine).fileCall(f.call, f.standard, stack))
			}), params, []api.ValueType{api.ValueTypeI32}).Export(f.name)
		}
	}
	_, err := builder.Instantiate(ctx)
	return err
}

// fileFunction is a function of WASI. params has an i for each number of 32 bits, an I for one of 64. standard is what
// it does with standard input, output and errors, and if there are no files, nil if they do not have it.
type fileFunction struct {
	name, params   string
	call, standard func(*machine, []uint64) Errno
}

var fileFunctions = []fileFunction{
	{"fd_prestat_get", "ii", (*machine).prestat, (*machine).prestat},
	{"fd_prestat_dir_name", "iii", (*machine).prestatName, (*machine).prestatName},
	{"fd_fdstat_get", "ii", (*machine).fdstat, (*machine).standardFdstat},
	{"fd_fdstat_set_flags", "ii", succeed, succeed},
	{"fd_fdstat_set_rights", "iII", succeed, succeed},
	{"fd_filestat_get", "ii", (*machine).filestat, (*machine).standardFilestat},
	{"fd_filestat_set_size", "iI", func(m *machine, s []uint64) Errno { return m.files.Truncate(int32(s[0]), int64(s[1])) }, nil},
	{"fd_filestat_set_times", "iIIi", succeed, succeed},
	{"fd_close", "i", func(m *machine, s []uint64) Errno { return m.files.Close(int32(s[0])) }, succeed},
	{"fd_read", "iiii", func(m *machine, s []uint64) Errno {
		return m.vectors(s[1], s[2], s[3], func(p []byte, _ int64) (int, Errno) { return m.files.Read(int32(s[0]), p) })
	}, func(m *machine, s []uint64) Errno { return m.putWord(s[3], 0) }},
	{"fd_write", "iiii", func(m *machine, s []uint64) Errno {
		return m.vectors(s[1], s[2], s[3], func(p []byte, _ int64) (int, Errno) { return m.files.Write(int32(s[0]), p) })
	}, func(m *machine, s []uint64) Errno {
		return m.vectors(s[1], s[2], s[3], func(p []byte, _ int64) (int, Errno) { return len(p), m.print(p) })
	}},
	{"fd_pread", "iiiIi", func(m *machine, s []uint64) Errno {
		return m.vectors(s[1], s[2], s[4], func(p []byte, done int64) (int, Errno) { return m.files.ReadAt(int32(s[0]), p, int64(s[3])+done) })
	}, nil},
	{"fd_pwrite", "iiiIi", func(m *machine, s []uint64) Errno {
		return m.vectors(s[1], s[2], s[4], func(p []byte, done int64) (int, Errno) { return m.files.WriteAt(int32(s[0]), p, int64(s[3])+done) })
	}, nil},
	{"fd_seek", "iIii", (*machine).seek, nil},
	{"fd_tell", "ii", func(m *machine, s []uint64) Errno { return m.seek([]uint64{s[0], 0, 1, s[1]}) }, nil},
	{"fd_allocate", "iII", (*machine).allocate, nil},
	{"fd_advise", "iIIi", succeed, nil},
	{"fd_sync", "i", (*machine).syncNow, nil},
	{"fd_datasync", "i", (*machine).syncNow, nil},
	{"fd_readdir", "iiiIi", (*machine).readDirectory, nil},
	{"path_open", "iiiiiIIii", (*machine).open, nil},
	{"path_filestat_get", "iiiii", (*machine).pathFilestat, nil},
	{"path_filestat_set_times", "iiiiIIi", succeed, nil},
	{"path_create_directory", "iii", func(m *machine, s []uint64) Errno { return m.files.MakeDirectory(int32(s[0]), m.path(s[1:])) }, nil},
	{"path_remove_directory", "iii", func(m *machine, s []uint64) Errno { return m.files.RemoveDirectory(int32(s[0]), m.path(s[1:])) }, nil},
	{"path_unlink_file", "iii", func(m *machine, s []uint64) Errno { return m.files.RemoveFile(int32(s[0]), m.path(s[1:])) }, nil},
	{"path_rename", "iiiiii", func(m *machine, s []uint64) Errno {
		return m.files.Rename(int32(s[0]), m.path(s[1:]), int32(s[3]), m.path(s[4:]))
	}, nil},
	{"path_link", "iiiiiii", func(m *machine, s []uint64) Errno {
		return m.files.Link(int32(s[0]), m.path(s[2:]), int32(s[4]), m.path(s[5:]))
	}, nil},
	{"path_symlink", "iiiii", func(*machine, []uint64) Errno { return ENOTSUP }, nil},
	// Nothing is a symbolic link.
	{"path_readlink", "iiiiii", func(*machine, []uint64) Errno { return EINVAL }, nil},
}

// fileCall carries out a function.
func (m *machine) fileCall(call, standard func(*machine, []uint64) Errno, stack []uint64) Errno {
	if uint32(stack[0]) >= Root && m.files != nil {
		return call(m, stack)
	}
	if standard == nil {
		return EBADF
	}
	return standard(m, stack)
}

func succeed(*machine, []uint64) Errno { return 0 }

// prestat and prestatName say that the root is open. Go asks while it boots.
func (m *machine) prestat(s []uint64) Errno {
	if int32(s[0]) != Root {
		return EBADF
	}
	binary.LittleEndian.PutUint64(m.at(s[1], 8), uint64(len("/"))<<32)
	return 0
}

func (m *machine) prestatName(s []uint64) Errno {
	if int32(s[0]) != Root {
		return EBADF
	}
	copy(m.at(s[1], s[2]), "/")
	return 0
}

// Types of files.
const (
	typeCharacters = 2
	typeDirectory  = 3
	typeRegular    = 4
)

func (i FileInfo) kind() byte {
	if i.Directory {
		return typeDirectory
	}
	return typeRegular
}

func (m *machine) fdstat(s []uint64) Errno {
	info, e := m.files.Stat(int32(s[0]))
	if e == 0 {
		m.putFdstat(s[1], info.kind())
	}
	return e
}

func (m *machine) standardFdstat(s []uint64) Errno {
	m.putFdstat(s[1], typeCharacters)
	return 0
}

func (m *machine) putFdstat(at uint64, kind byte) {
	b := m.at(at, 24)
	clear(b)
	b[0] = kind
	// All rights.
	binary.LittleEndian.PutUint64(b[8:], 1<<30-1)
	binary.LittleEndian.PutUint64(b[16:], 1<<30-1)
}

func (m *machine) filestat(s []uint64) Errno {
	info, e := m.files.Stat(int32(s[0]))
	if e == 0 {
		m.putFilestat(s[1], info, info.kind())
	}
	return e
}

func (m *machine) standardFilestat(s []uint64) Errno {
	m.putFilestat(s[1], FileInfo{}, typeCharacters)
	return 0
}

func (m *machine) pathFilestat(s []uint64) Errno {
	info, e := m.files.StatAt(int32(s[0]), m.path(s[2:]))
	if e == 0 {
		m.putFilestat(s[4], info, info.kind())
	}
	return e
}

// putFilestat writes what is known of a file. All times are 0.
func (m *machine) putFilestat(at uint64, info FileInfo, kind byte) {
	b := m.at(at, 64)
	clear(b)
	binary.LittleEndian.PutUint64(b[8:], info.Inode)
	b[16] = kind
	binary.LittleEndian.PutUint64(b[24:], info.Links)
	binary.LittleEndian.PutUint64(b[32:], uint64(info.Size))
}

func (m *machine) seek(s []uint64) Errno {
	to, e := m.files.Seek(int32(s[0]), int64(s[1]), uint32(s[2]))
	if e == 0 {
		binary.LittleEndian.PutUint64(m.at(s[3], 8), uint64(to))
	}
	return e
}

// allocate makes a file as large as it has to be.
func (m *machine) allocate(s []uint64) Errno {
	info, e := m.files.Stat(int32(s[0]))
	if size := int64(s[1] + s[2]); e == 0 && size > info.Size {
		e = m.files.Truncate(int32(s[0]), size)
	}
	return e
}

func (m *machine) syncNow(s []uint64) Errno { return m.files.Sync(int32(s[0]), m.files.Written()) }

// Flags and rights with which a file is opened.
const (
	openCreate    = 1 << 0
	openDirectory = 1 << 1
	openExclusive = 1 << 2
	openTruncate  = 1 << 3

	flagAppend = 1 << 0

	rightRead  = 1 << 1
	rightWrite = 1 << 6
)

func (m *machine) open(s []uint64) Errno {
	how, rights, flags := s[4], s[5], s[7]
	fd, e := m.files.Open(int32(s[0]), m.path(s[2:]), Opening{
		Create: how&openCreate != 0, Exclusive: how&openExclusive != 0, Truncate: how&openTruncate != 0, Directory: how&openDirectory != 0,
		Read: rights&rightRead != 0, Write: rights&rightWrite != 0, Append: flags&flagAppend != 0,
	})
	if e == 0 {
		m.putWord(s[8], uint32(fd))
	}
	return e
}

// readDirectory writes entries until there is no more room: the last one may be cut off. The cookie of an entry is the
// place of the next one.
func (m *machine) readDirectory(s []uint64) Errno {
	entries, e := m.files.Entries(int32(s[0]))
	if e != 0 {
		return e
	}
	room := m.at(s[1], s[2])
	n := 0
	var head [24]byte
	for i := int(s[3]); i < len(entries) && n < len(room); i++ {
		binary.LittleEndian.PutUint64(head[:], uint64(i+1))
		binary.LittleEndian.PutUint64(head[8:], entries[i].Inode)
		binary.LittleEndian.PutUint32(head[16:], uint32(len(entries[i].Name)))
		head[20] = entries[i].kind()
		n += copy(room[n:], head[:])
		n += copy(room[n:], entries[i].Name)
	}
	return m.putWord(s[4], uint32(n))
}

// vectors reads into parts of the memory, or writes from them, until less is done than would go into one.
func (m *machine) vectors(list, n, result uint64, do func(p []byte, done int64) (int, Errno)) Errno {
	done := 0
	// The upper half of a number of 32 bits has anything in it.
	for i := range uint32(n) {
		v := m.at(list+8*uint64(i), 8)
		p := m.at(uint64(binary.LittleEndian.Uint32(v)), uint64(binary.LittleEndian.Uint32(v[4:])))
		k, e := do(p, int64(done))
		if e != 0 && done == 0 {
			return e
		}
		done += k
		if k < len(p) {
			break
		}
	}
	return m.putWord(result, uint32(done))
}

// print takes what the program writes to its standard output and errors.
func (m *machine) print(p []byte) Errno {
	m.stderr.Write(p)
	return 0
}

// at is a part of the memory.
func (m *machine) at(at, size uint64) []byte {
	return m.memory.bytes[uint32(at) : uint64(uint32(at))+uint64(uint32(size))]
}

func (m *machine) putWord(at uint64, n uint32) Errno {
	binary.LittleEndian.PutUint32(m.at(at, 4), n)
	return 0
}

func (m *machine) path(s []uint64) string { return string(m.at(s[0], s[1])) }

// written and sync are what the overlay asks about a sync: how much is written when it begins, and that it is done.
func (m *machine) written(stack []uint64) {
	if m.files == nil {
		stack[0] = 0
		return
	}
	stack[0] = m.files.Written()
}

func (m *machine) sync(stack []uint64) {
	if m.files == nil {
		stack[0] = uint64(EBADF)
		return
	}
	stack[0] = uint64(m.files.Sync(int32(stack[0]), stack[1]))
}

// randomSource are the random numbers of a guest.
type randomSource struct{ of *machine }

func (r randomSource) Read(p []byte) (int, error) {
	clear(p)
	if h, ok := r.of.host.(Random); ok {
		h.Random(r.of.running, p)
	}
	return len(p), nil
}
