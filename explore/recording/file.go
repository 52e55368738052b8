package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
