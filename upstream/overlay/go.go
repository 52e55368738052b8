package overlay

import (
	_ "embed"
	"fmt"
	"go/version"
	"path/filepath"
	"strings"
)

// Go is a release of Go that the changes are made for.
type Go struct {
	// Version is its number: 1.26.8.
	Version string
	// seed is the part of the hooks that is about its generators of random numbers.
	seed string
}

//go:embed runtime_seed_go1.26.go.txt
var seed126 string

//go:embed runtime_seed_go1.27.go.txt
var seed127 string

// releases are those that are known, the oldest first. Guests are compiled by the oldest one that is new enough for
// their modules.
var releases = []Go{{"1.26.8", seed126}, {"1.27.4", seed127}}

// For is the release that compiles a module whose go.mod wants at least this version of Go: 1.27.0.
func For(wanted string) (*Go, error) {
	for i := range releases {
		if version.Compare("go"+wanted, "go"+releases[i].Version) <= 0 {
			return &releases[i], nil
		}
	}
	return nil, fmt.Errorf("it wants Go %s, and the overlay knows the runtimes of Go %s alone", wanted, known())
}

func known() string {
	var names []string
	for _, r := range releases {
		names = append(names, r.Version)
	}
	return strings.Join(names, " and ")
}

// Replaceable reports whether files of a Go distribution can be replaced: go build -overlay does not replace those in
// the module cache, which is where Go keeps the releases that it downloads by itself.
func Replaceable(goroot string) bool {
	return !strings.Contains(filepath.ToSlash(goroot), "/golang.org/toolchain@")
}
