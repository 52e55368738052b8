package explore

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

// OpenRecording reads a recording from a file.
func OpenRecording(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadRecording(f, path)
}

// Create writes the recording to a new file in dir, which it makes if need be,
// and returns its path. The name comes from the first violation and the trace
// hash. No file is ever overwritten: where there is one with other contents the
// new one gets a number, and where there is one with the same contents it is
// left at that.
func (r *Recording) Create(dir string) (string, error) {
	b, err := r.encode()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	stem := filepath.Join(dir, r.stem())
	for n := 1; n <= maxSameName; n++ {
		path := stem + ".json"
		if n > 1 {
			path = stem + "-" + strconv.Itoa(n) + ".json"
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b) {
				return path, nil
			}
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(b)
		if err := errors.Join(err, f.Close()); err != nil {
			// Half a recording is worth less than none.
			return "", errors.Join(err, os.Remove(path))
		}
		return path, nil
	}
	return "", fmt.Errorf("%s.json: there are %d of that name already", stem, maxSameName)
}

const maxSameName = 1000

func (r *Recording) stem() string {
	name := "run"
	if v := r.Violations(); len(v) > 0 {
		name = v[0].Property
		if v[0].Label != "" {
			name += "-" + v[0].Label
		}
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
