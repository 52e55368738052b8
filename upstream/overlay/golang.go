package overlay

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Golang is a Go distribution that guests are compiled with.
type Golang struct {
	Release *Go
	// command is its go command, environment what that is run with beside the user's own.
	command string
	// Root is its folder.
	Root        string
	environment []string
	// until ends commands, nil never.
	until context.Context
}

// Installed is the Go that runs this program's go command.
var Installed = &Golang{command: "go", environment: []string{"GOTOOLCHAIN=local"}}

// GolangFor is the distribution of the release that compiles what wants this version of Go: the one that is installed,
// or the one that the go command downloads by itself.
func GolangFor(wanted, directory string) (*Golang, error) {
	release, err := For(wanted)
	if err != nil {
		return nil, err
	}
	version, err := Installed.Run(".", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, err := Installed.Run(".", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if version != "go"+release.Version || !Replaceable(root) {
		return download(release, version, directory)
	}
	return &Golang{Release: release, command: Installed.command, Root: root, environment: Installed.environment}, nil
}

// download has the go command download a release. The release is then in the module cache, of which no file can be
// replaced: a folder of links stands for it.
func download(release *Go, installed, directory string) (*Golang, error) {
	name := "go" + release.Version
	other := &Golang{command: Installed.command, environment: []string{"GOTOOLCHAIN=" + name}}
	cached, err := other.Run(".", "env", "GOROOT")
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
	return &Golang{Release: release, command: filepath.Join(root, "bin", "go"), Root: root, environment: []string{"GOTOOLCHAIN=local", "GOROOT=" + root}}, nil
}

// Run runs the go command for the guest, and returns what it says. The error has what it complains about.
func (g *Golang) Run(folder string, arguments ...string) (string, error) {
	until := g.until
	if until == nil {
		until = context.Background()
	}
	c := exec.CommandContext(until, g.command, arguments...)
	// The go command takes away what it has begun.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	c.Dir = folder
	c.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOOS=wasip1", "GOARCH=wasm"), g.environment...)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil {
		return "", &Complaint{strings.TrimSpace(complaints.String()), err}
	}
	return strings.TrimSpace(out.String()), nil
}
