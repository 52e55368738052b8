package recording

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// A recording is written under another name first, and synced: a process that is killed meanwhile, or a
// machine that loses power, must not leave a half file that looks like a whole one. The name has the number
// of the process that writes.
const partName = ".part-%d-"

// writePart writes a file with a name of its own into dir, which it makes if necessary.
func writePart(dir string, b []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, fmt.Sprintf(partName, os.Getpid()))
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// syncFolder has new names in dir survive a loss of power, where the system can do that.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}

// Sweep removes from dir what processes have left there that were killed while they wrote a
// recording, and then dir if it is empty. Whatever it cannot remove stays.
func Sweep(dir string) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		pid := 0
		if _, err := fmt.Sscanf(f.Name(), partName, &pid); err == nil && gone(pid) {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
	os.Remove(dir)
}

// gone reports whether there is no process with a number. Where that cannot be asked there
// always is one.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
