package overlay

// Program is what one kind of guest is compiled with in place of files of its modules, and beside them.
type Program struct {
	stubs, added []stub
	// changed are files of modules that are compiled with a change.
	changed []patch
	reduced []reduction
	// files: the guest has files, and the host is told of each sync.
	files bool
	// tests: a goroutine may also let others go first behind a critical section, and before it uses a channel.
	tests bool
}

// stub stands for a file of a module that does not compile for wasip1.
type stub struct{ file, text string }

// reduction is a folder of a module of which the guest needs a few files only.
type reduction struct {
	folder string
	keep   []string
}

// common are the stubs of modules that guests of all kinds have.
var common = []stub{
	journal,
	// The guest locks no files: what is on disk is with the world.
	{"go.etcd.io/etcd/client/pkg/v3/fileutil/lock_flock.go", `package fileutil

import "os"

func flockTryLockFile(path string, flag int, perm os.FileMode) (*LockedFile, error) { return nil, ErrLocked }

func flockLockFile(path string, flag int, perm os.FileMode) (*LockedFile, error) { return nil, ErrLocked }
`},
}

// journal: no journal of systemd takes the guest's log.
var journal = stub{"github.com/coreos/go-systemd/v22/journal/journal_unix.go", `package journal

import "errors"

func Enabled() bool { return false }

func Send(string, Priority, map[string]string) error { return errors.New("no journal") }

func StderrIsJournalStream() (bool, error) { return false, nil }

func StdoutIsJournalStream() (bool, error) { return false, nil }
`}
