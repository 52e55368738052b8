package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/watchbed/watchbed/upstream/overlay"
)

// golang is a Go distribution that guests are compiled with.
type golang struct {
	release *overlay.Go
	// command is its go command, environment what that is run with beside the user's own.
	command, root string
	environment   []string
}

// here is the Go that runs this program's go command.
var here = &golang{command: "go", environment: []string{"GOTOOLCHAIN=local"}}

// golangFor is the distribution of the release that compiles what wants this version of Go: the one that is installed,
// or the one that the go command downloads by itself.
func golangFor(wanted, directory string) (*golang, error) {
	release, err := overlay.For(wanted)
	if err != nil {
		return nil, err
	}
	version, err := here.run(".", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, err := here.run(".", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if version != "go"+release.Version || !overlay.Replaceable(root) {
		return download(release, version, directory)
	}
	return &golang{release, here.command, root, here.environment}, nil
}

// download has the go command download a release. The release is then in the module cache, of which no file can be
// replaced: a folder of links stands for it.
func download(release *overlay.Go, installed, directory string) (*golang, error) {
	name := "go" + release.Version
	other := &golang{command: here.command, environment: []string{"GOTOOLCHAIN=" + name}}
	cached, err := other.run(".", "env", "GOROOT")
	if err != nil {
		return nil, fmt.Errorf("it is compiled by Go %s, whose runtime the overlay knows. This is %s, and the go command does not get the other: %w; install that release, and put it first in PATH", release.Version, installed, err)
	}
	root := filepath.Join(directory, "go", name)
	if err := os.RemoveAll(root); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(cached)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(cached, e.Name()), filepath.Join(root, e.Name())); err != nil {
			return nil, err
		}
	}
	return &golang{release, filepath.Join(root, "bin", "go"), root, []string{"GOTOOLCHAIN=local", "GOROOT=" + root}}, nil
}

// run runs the go command for the guest, and returns what it says. The error has what it complains about.
func (g *golang) run(folder string, arguments ...string) (string, error) {
	c := exec.Command(g.command, arguments...)
	c.Dir = folder
	c.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOOS=wasip1", "GOARCH=wasm"), g.environment...)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil {
		return "", &complaint{strings.TrimSpace(complaints.String()), err}
	}
	return strings.TrimSpace(out.String()), nil
}
