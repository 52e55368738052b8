package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// output is standard output. It remembers the first error, because most of what a
// command prints is printed without a look at it.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// lost adds to a command's error that its output did not arrive. A violation keeps
// its exit code.
func (o *output) lost(err error) error {
	if o.err == nil || errors.Is(err, o.err) {
		return err
	}
	return errors.Join(err, &exitError{exitUsage, fmt.Errorf("standard output is incomplete: %w", o.err)})
}

// writeFile makes or replaces a file that was named on the command line. What was
// there before stays if the new one cannot be written whole. What is no regular file,
// such as a device or a pipe, is written to as it is; a symbolic link is followed.
func writeFile(path string, write func(*os.File) error) error {
	target := path
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		target = followed
	}
	replace := true
	if info, err := os.Stat(target); err == nil {
		if info.IsDir() {
			return usage("cannot write %s: it is a directory", path)
		}
		replace = info.Mode().IsRegular()
	} else if _, err := os.Readlink(path); err == nil {
		// A link to a file that does not exist yet.
		replace = false
	}
	var err error
	if replace {
		err = replaceFile(target, write)
	} else {
		err = writeInto(target, write)
	}
	if err != nil {
		return usage("cannot write %s: %w", path, withoutPath(err))
	}
	return nil
}

func writeInto(path string, write func(*os.File) error) error {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

// replaceFile writes beside the file first, with the mode that a new file gets.
func replaceFile(path string, write func(*os.File) error) error {
	part := filepath.Join(filepath.Dir(path), fmt.Sprintf(".part-%d-%s", os.Getpid(), filepath.Base(path)))
	w, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if err := errors.Join(write(w), w.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := os.Rename(part, path); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}

// withoutPath is the reason alone: the path in the error may be that of the part
// file, which the user never named.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
