package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/watchbed/watchbed/report"
)

// output is standard output. It remembers the first error, because most of what a
// command prints is printed without a look at it.
type output struct {
	to io.Writer
	// said is where a command prints while a file is written to standard output.
	said io.Writer
	err  error
}

func (o *output) Write(b []byte) (int, error) {
	if o.said != nil {
		return o.said.Write(b)
	}
	return o.whole(b)
}

// whole writes to standard output itself.
func (o *output) whole(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// lost adds to a command's error that its output did not arrive.
func (o *output) lost(err error) error {
	if o.err == nil || errors.Is(err, o.err) {
		return err
	}
	return errors.Join(err, &exitError{exitUsage, fmt.Errorf("standard output is incomplete: %w", o.err)})
}

// atStandardOutput is the path that stands for standard output, as an output file of a
// command.
const atStandardOutput = "-"

// fileFlags name output files.
var fileFlags = []string{"html", "junit", "latency", "save"}

// outFlag names the folder for replay files.
const outFlag = "out"

// failuresDir is its default.
const failuresDir = "simrun-failures"

// share has the command print on standard error if a flag names standard output as the
// place of a file: the two would be mixed. Two at one place are refused.
func (o *output) share(flags *pflag.FlagSet, stderr io.Writer) error {
	var there []string
	file := false
	flags.Visit(func(given *pflag.Flag) {
		switch value := given.Value.String(); {
		case given.Name == "json" && value == "true":
			there = append(there, "--json")
		case slices.Contains(fileFlags, given.Name) && value == atStandardOutput:
			there, file = append(there, "--"+given.Name+" -"), true
		}
	})
	switch {
	case !file:
		return nil
	case len(there) > 1:
		return usage("%s and %s both write to standard output; give one of them a file", there[0], there[1])
	}
	o.said = stderr
	return nil
}

// writeFile makes or replaces a file that a flag of the command line names. What was
// there before stays if the new one cannot be written whole. What is no regular file,
// such as a device or a pipe, is written to as it is, and so is what standard output or
// standard error goes to; a symbolic link is followed.
func (s process) writeFile(flag, path string, write func(io.Writer) error) error {
	var err error
	if open := s.opened(path); open != nil {
		err = write(open)
	} else {
		err = writePath(path, func(w io.Writer) error { return write(&report.Spelt{To: w}) })
	}
	if err != nil {
		return usage("cannot write --%s %s: %w", flag, path, withoutPath(err))
	}
	return nil
}

// noPage says that a page was asked for with --html and that there is none to write, and of what an earlier one is not.
func (s process) noPage(path string) {
	if path == "" {
		return
	}
	earlier := ""
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		earlier = "; what is in it is of an earlier run"
	}
	s.complain("nothing is violated, so there is no page to write to %s%s", path, earlier)
}

// ready refuses an output file, or a folder for replay files, named or not, that cannot be written: before the work
// whose result would have no place. A file that exists stays as it is. A search that is kept opens its own folder at
// once.
func (s process) ready(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(given *pflag.Flag) {
		if err != nil {
			return
		}
		path := given.Value.String()
		switch {
		case slices.Contains(fileFlags, given.Name) && s.opened(path) == nil:
			err = writable(path)
		case given.Name == outFlag:
			err = roomFor(path)
		}
		if err != nil {
			err = usage("--%s %s: cannot be written: %w", given.Name, path, withoutPath(err))
		}
	})
	if out := flags.Lookup(outFlag); err == nil && out != nil && !out.Changed {
		if err := roomFor(out.DefValue); err != nil {
			return usage("replay files are kept in %s, which cannot be written: %w; name another folder with --%s", out.DefValue, withoutPath(err), outFlag)
		}
	}
	return err
}

// place is the target of a path: a regular file, a file to be made, or, with into, a pipe or a device that is written
// into as it is.
func place(path string) (target string, into bool, err error) {
	target = path
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		target = followed
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return target, false, errors.New("it is a directory")
	case err == nil:
		return target, !info.Mode().IsRegular(), nil
	}
	// A link to a file that does not exist yet.
	_, noLink := os.Readlink(path)
	return target, noLink == nil, nil
}

// writable tries what writePath begins with. Opening a pipe or a device may be felt at its other end.
func writable(path string) error {
	target, into, err := place(path)
	if err != nil || into {
		return err
	}
	return tryFile(filepath.Dir(target))
}

// roomFor tries whether files can be made in a folder, which need not exist yet.
func roomFor(folder string) error {
	for {
		info, err := os.Stat(folder)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is a file", folder)
		case err == nil:
			return tryFile(folder)
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(folder) == folder:
			return err
		}
		folder = filepath.Dir(folder)
	}
}

// tryFile makes a file in a folder and takes it away again.
func tryFile(folder string) error {
	f, err := os.CreateTemp(folder, ".part-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// writerFunc is a function that writes.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// opened is the stream of this process that a path stands for, nil if it is none. A file in
// its place would take away what was written to it.
func (s process) opened(path string) io.Writer {
	if path == atStandardOutput {
		return writerFunc(s.stdout.whole)
	}
	named, err := os.Stat(path)
	if err != nil {
		return nil
	}
	for _, stream := range []struct {
		file *os.File
		to   io.Writer
	}{{s.outFile, writerFunc(s.stdout.whole)}, {s.errFile, s.err}} {
		if stream.file == nil {
			continue
		}
		if info, err := stream.file.Stat(); err == nil && os.SameFile(named, info) {
			return stream.to
		}
	}
	return nil
}

// writePath writes beside a regular file first, with the mode that a new file gets.
func writePath(path string, write func(io.Writer) error) error {
	target, into, err := place(path)
	switch {
	case err != nil:
		return err
	case into:
		return writeInto(target, write)
	}
	part := filepath.Join(filepath.Dir(target), fmt.Sprintf(".part-%d-%s", os.Getpid(), filepath.Base(target)))
	if err := writeInto(part, write); err != nil {
		os.Remove(part)
		return err
	}
	if err := os.Rename(part, target); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}

func writeInto(path string, write func(io.Writer) error) error {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

// withoutPath is the reason alone: the path in the error may be that of the part
// file, which the user never named.
func withoutPath(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// sameOutput reports whether what is written to two paths ends up in one place, and is wanted.
func sameOutput(a, b string) bool {
	return filepath.Clean(a) == filepath.Clean(b) && filepath.Clean(a) != os.DevNull || sameFile(a, b)
}

// spare refuses to write a page over one of the files that it is about.
func spare(page string, inputs ...string) error {
	if page != "" && slices.ContainsFunc(inputs, func(input string) bool { return sameFile(input, page) }) {
		return usage("--html %s would overwrite the file that the page is about: name another file", page)
	}
	return nil
}

// sameFile reports whether two names are of one file that exists.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}
