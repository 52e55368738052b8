package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Apply returns the files that change in a folder of modules, by their paths in it, with what is in them
// then. Nothing is written.
func Apply(vendored string, all []*Patch) (map[string]string, error) {
	changed := map[string]string{}
	for _, p := range all {
		for i := range p.files {
			f := &p.files[i]
			path := inModules(vendored, f.path)
			text, before := changed[path]
			if !before {
				source, err := os.ReadFile(path)
				if errors.Is(err, fs.ErrNotExist) {
					return nil, fmt.Errorf("%s changes %s, which is not in the guest: take it out of the patch if the guest does without", p.origin, f.path)
				}
				if err != nil {
					return nil, err
				}
				text = string(source)
			}
			text, err := f.apply(text)
			if err != nil {
				return nil, fmt.Errorf("%s does not apply any more: %w", p.origin, err)
			}
			changed[path] = text
		}
	}
	return changed, nil
}

// ofEtcd matches the folders of etcd's repository that hold a module, with the name that the path of the module ends
// with before its v3.
var ofEtcd = regexp.MustCompile(`^(api|cache|client/pkg|etcdutl|pkg|raft|server)/`)

// inModules is where a folder of modules has a file. The path of one of etcd may be that in the repository, which is
// not named after the modules.
func inModules(vendored, path string) string {
	at := filepath.Join(vendored, filepath.FromSlash(path))
	if _, err := os.Stat(at); err == nil {
		return at
	}
	return filepath.Join(vendored, "go.etcd.io", "etcd", filepath.FromSlash(ofEtcd.ReplaceAllString(path, "$1/v3/")))
}

func (f *file) apply(text string) (string, error) {
	for _, c := range f.changes {
		if n := strings.Count("\n"+text, "\n"+c.old); n != 1 {
			return "", fmt.Errorf("%s has %q and what follows it in the patch %d times, and not once: write the change anew for this version", f.path, lineBefore(c.old), n)
		}
		text = strings.Replace("\n"+text, "\n"+c.old, "\n"+c.new, 1)[1:]
	}
	return text, nil
}

func lineBefore(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
