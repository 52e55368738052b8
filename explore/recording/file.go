package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// Open reads a recording from a file.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	defer f.Close()
	rec, err := Read(f, path)
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return nil, cannotRead(path, p)
	}
	return rec, err
}

// cannotRead names the path once, and not the system call.
func cannotRead(path string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot read %s: %w", path, err)
}

// Create writes the recording to a new file in dir, which it makes if necessary,
// and returns its path. The name comes from
// the violation that it was made for and from the trace hash. No file is ever
// overwritten: if the name is taken by a file with other contents, the new file gets a
// number; if the contents are the same, nothing is written.
func (r *Recording) Create(dir string) (path string, err error) {
	b, err := r.encode()
	if err != nil {
		return "", err
	}
	part, err := writePart(dir, b)
	if errors.Is(err, fs.ErrNotExist) {
		// Another process has removed the folder, which was empty, as soon as it was made.
		part, err = writePart(dir, b)
	}
	if err != nil {
		return "", err
	}
	defer os.Remove(part)
	stem := filepath.Join(dir, r.stem())
	for n := 1; n <= maxSameName; n++ {
		path := stem + ".json"
		if n > 1 {
			path = stem + "-" + strconv.Itoa(n) + ".json"
		}
		// Unlike a rename, a link never replaces a file.
		err := os.Link(part, path)
		if errors.Is(err, fs.ErrExist) {
			if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b) {
				return path, nil
			}
			continue
		}
		syncFolder(dir)
		return path, err
	}
	return "", fmt.Errorf("%s.json: there are %d of that name already", stem, maxSameName)
}

const maxSameName = 1000

func (r *Recording) stem() string {
	name := "run"
	if f, ok := r.MadeFor(); ok {
		name = f.Property + "-" + f.Label
	}
	return slug(name) + "-" + r.TraceHash.String()[:8]
}

const maxSlug = 80

// slug keeps what every file system takes.
func slug(s string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		switch {
		case b.Len() >= maxSlug:
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

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

var (
	// plainWord is what no shell changes.
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	// spelt is what $'...' has as bytes: all but ASCII, and what ends a quotation.
	spelt = regexp.MustCompile(`[^ -~]|['\\]`)
)

// ShellWord is a text as one word of a command that a person copies into a shell. One that changes the direction of
// text is bytes in bash's $'...': such characters are not printed as they are (report.Spelt).
func ShellWord(text string) string {
	switch {
	case plainWord.MatchString(text):
		return text
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }):
		return "$'" + spelt.ReplaceAllStringFunc(text, func(c string) string {
			return `\x` + strings.ReplaceAll(fmt.Sprintf("% x", c), " ", `\x`)
		}) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Again is the command that carries out a recording again. A path that begins as a flag does
// not, behind "./".
func Again(program, path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return program + " replay " + ShellWord(path)
}
