package overlay

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Patch is a change of the modules of a guest.
type Patch struct {
	// Name is that in the name of the guest.
	Name string
	// About is the text before the changes.
	About string
	// origin says where it was read, for errors. written: that is the path of a file.
	origin  string
	written bool
	files   []file
}

// file is what changes in one file: its path begins with that of the module.
type file struct {
	path    string
	changes []replaced
}

// replaced is one place in a file: each old text is there exactly once.
type replaced struct{ old, new string }

// staging is where Kubernetes' repository has the modules that it publishes.
const staging = "staging/src/"

// signature is where git format-patch ends a patch: its version comes behind.
const signature = "-- \n"

// parse reads a unified diff. Tests are left out: a guest has none.
func parse(name, origin, text string) (*Patch, error) {
	p := &Patch{Name: name, origin: origin}
	var about strings.Builder
	var at *file
	var hunk *replaced
	var left counts
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		switch {
		case hunk != nil && left.wants() && line != "" && !ends(lines[i:]):
			if err := hunk.take(line, origin, i+1); err != nil {
				return nil, err
			}
			left.took(line)
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			path, err := pathOf(line)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", origin, i+1, err)
			}
			p.files, hunk = append(p.files, file{path: path}), nil
			at = &p.files[len(p.files)-1]
		case strings.HasPrefix(line, "+++ ") && hunk == nil:
		case strings.HasPrefix(line, "diff "):
			at, hunk = nil, nil
		case strings.HasPrefix(line, "@@") && at != nil:
			if err := left.check(origin); err != nil {
				return nil, err
			}
			var err error
			if left, err = countsOf(line, at.path, origin, i+1); err != nil {
				return nil, err
			}
			at.changes = append(at.changes, replaced{})
			hunk = &at.changes[len(at.changes)-1]
		case line == signature:
			at, hunk = nil, nil
		case hunk != nil && left.more(lines[i:]):
			return nil, left.unfit(origin)
		case hunk != nil && !left.full():
			if err := hunk.take(line, origin, i+1); err != nil {
				return nil, err
			}
		case len(p.files) == 0:
			about.WriteString(line)
		}
	}
	if err := left.check(origin); err != nil {
		return nil, err
	}
	p.About = strings.TrimSpace(about.String())
	return p, p.check()
}

// pathOf is the file that a line such as "--- a/staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go" names.
func pathOf(line string) (string, error) {
	path, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "--- ")), "\t")
	if path == "/dev/null" {
		return "", fmt.Errorf("it adds a file, and patches of a guest change files that are there")
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, "a/"), staging), nil
}

// Origin is the path of its file, or says that it is one of Names.
func (p *Patch) Origin() (string, error) {
	if !p.written {
		return p.origin, nil
	}
	return filepath.Abs(p.origin)
}

// take takes a line of a change, which is this one of the patch.
func (c *replaced) take(line, origin string, number int) error {
	if !strings.HasSuffix(line, "\n") && line != "" {
		return fmt.Errorf("%s, line %d: %q is in a change and has no end: the patch was cut off", origin, number, line)
	}
	if !c.add(line) {
		return fmt.Errorf("%s, line %d: %q is in a change and begins with none of blank, - and +", origin, number, strings.TrimSpace(line))
	}
	return nil
}

// add takes a line of a change. One without anything is an empty line that stays.
func (c *replaced) add(line string) bool {
	if line == "" {
		return true
	}
	kind, rest := line[0], line[1:]
	if kind == '\n' {
		rest = line
	}
	switch kind {
	case ' ', '\n':
		c.old += rest
		c.new += rest
	case '-':
		c.old += rest
	case '+':
		c.new += rest
	case '\\':
		// No newline at the end of the file.
	default:
		return false
	}
	return true
}

// check leaves out tests, and refuses what changes nothing.
func (p *Patch) check() error {
	var kept []file
	for _, f := range p.files {
		if strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		for _, c := range f.changes {
			if strings.TrimSpace(c.old) == "" {
				return fmt.Errorf("%s: a change of %s has no line of the file by which it could be found: give it one", p.origin, f.path)
			}
		}
		kept = append(kept, f)
	}
	if p.files = kept; len(kept) == 0 {
		return fmt.Errorf("%s changes no file of a module: it is to be a unified diff, with lines such as --- a/%sk8s.io/apiserver/pkg/storage/cacher/cacher.go", p.origin, staging)
	}
	return nil
}
