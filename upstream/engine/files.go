package engine

// Files are the files of a guest's process. All calls come from the guest while it runs. Descriptors are theirs, too,
// so that a guest in another machine, or in a world that was cloned, has those that it had. The directory / is open as
// Root from the beginning. Paths are relative to the directory of a descriptor, and there are no symbolic links.
type Files interface {
	Open(directory int32, path string, how Opening) (fd int32, e Errno)
	Close(fd int32) Errno
	// Read and Write go on where the last one of the descriptor ended. ReadAt, at the end of a file, reads nothing.
	Read(fd int32, p []byte) (int, Errno)
	ReadAt(fd int32, p []byte, offset int64) (int, Errno)
	Write(fd int32, p []byte) (int, Errno)
	WriteAt(fd int32, p []byte, offset int64) (int, Errno)
	// Seek is relative to the beginning, to the place of the descriptor, or to the end: 0, 1, 2.
	Seek(fd int32, offset int64, whence uint32) (int64, Errno)
	Truncate(fd int32, size int64) Errno
	// Written is a number that each change of any file raises. Sync makes durable what was changed in a file, or in a
	// directory, when it was that, and later changes need not be.
	Written() uint64
	Sync(fd int32, written uint64) Errno

	Stat(fd int32) (FileInfo, Errno)
	StatAt(directory int32, path string) (FileInfo, Errno)
	// Entries are those of a directory, in the order of their names, without . and its parent.
	Entries(fd int32) ([]FileInfo, Errno)
	MakeDirectory(directory int32, path string) Errno
	RemoveDirectory(directory int32, path string) Errno
	RemoveFile(directory int32, path string) Errno
	Rename(directory int32, path string, toDirectory int32, toPath string) Errno
	Link(directory int32, path string, toDirectory int32, toPath string) Errno
}

// Root is the descriptor of the directory /.
const Root = 3

// Opening is how a file is opened.
type Opening struct {
	Create, Exclusive, Truncate, Directory bool
	Read, Write, Append                    bool
}

// FileInfo is what is known of a file. Name is empty if it was not asked for by its name.
type FileInfo struct {
	Name      string
	Inode     uint64
	Directory bool
	Links     uint64
	Size      int64
}

// Disked is a host whose guest has files. Without files none can be opened.
type Disked interface {
	Host
	Files() Files
}

// Random is a host that decides which random numbers a goroutine gets. Without it they are zeros.
type Random interface {
	Host
	Random(g Goroutine, p []byte)
}

// Errno is an error number of WASI, 0 if nothing went wrong.
type Errno uint32

// Error numbers.
const (
	EBADF     Errno = 8
	EEXIST    Errno = 20
	EINVAL    Errno = 28
	EIO       Errno = 29
	EISDIR    Errno = 31
	ENOENT    Errno = 44
	ENOSPC    Errno = 51
	ENOTDIR   Errno = 54
	ENOTEMPTY Errno = 55
	ENOTSUP   Errno = 58
)
