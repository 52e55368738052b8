package overlay

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// patch changes one file of the Go distribution, or of a module, by its text: each old text must be there
// exactly once.
type patch struct {
	// file is relative to GOROOT/src, or to the folder of the modules.
	file    string
	changes []change
}

type change struct{ old, new string }

// withMore are patches to which changes of the same and of other files are added.
func withMore(all, more []patch) []patch {
	all = slices.Clone(all)
	for _, p := range more {
		i := slices.IndexFunc(all, func(other patch) bool { return other.file == p.file })
		if i < 0 {
			all = append(all, p)
		} else {
			all[i].changes = slices.Concat(all[i].changes, p.changes)
		}
	}
	return all
}

// apply is the file with all changes.
func (p *patch) apply(release *Go, goroot string) (string, error) {
	source, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(p.file)))
	if err != nil {
		return "", fmt.Errorf("the Go distribution in %s lacks %s, which the guest needs changed: %w", goroot, p.file, err)
	}
	return p.applyTo(string(source), fmt.Sprintf("%s of %s", p.file, goroot), fmt.Sprintf("Go %s has it once: install that release anew", release.Version))
}

// applyTo is a file with all changes. An error calls it by its name, and says what is expected.
func (p *patch) applyTo(text, name, expected string) (string, error) {
	for _, c := range p.changes {
		if n := strings.Count(text, c.old); n != 1 {
			return "", fmt.Errorf("%s has %q %d times, and %s", name, firstLine(c.old), n, expected)
		}
		text = strings.Replace(text, c.old, c.new, 1)
	}
	return text, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
