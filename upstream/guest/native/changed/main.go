// Changed runs the tests of package native with a change of upstream/patches in the storage: the module that it changes is copied, and
// the copy stands in its place.
//
//	go run ./changed stale-list -native.update
//
// What is behind the name goes to the tests.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/watchbed/watchbed/upstream/patches"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "changed: "+err.Error())
		os.Exit(1)
	}
}

// changes is the module that a change may be in.
const changes = "k8s.io/apiserver"

func run(arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("no change is named: want one of %s", strings.Join(patches.Names(), ", "))
	}
	patch, err := patches.Find(arguments[0])
	if err != nil {
		return err
	}
	modules, err := os.MkdirTemp("", "changed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(modules)
	if err := copyModule(modules); err != nil {
		return err
	}
	changed, err := patches.Apply(modules, []*patches.Patch{patch})
	if err != nil {
		return err
	}
	for path, text := range changed {
		if !strings.HasPrefix(path, filepath.Join(modules, changes)) {
			return fmt.Errorf("%s is in another module than %s", path, changes)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	file := filepath.Join(modules, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("run this in the folder upstream/guest/native: %w", err)
		}
		if err := os.WriteFile(filepath.Join(modules, name), text, 0o644); err != nil {
			return err
		}
	}
	if _, err := golang("mod", "edit", "-replace="+changes+"="+filepath.Join(modules, changes), file); err != nil {
		return err
	}
	tests := exec.Command("go", append([]string{"test", "-modfile=" + file, "-ldflags=-checklinkname=0", ".", "-native.change=" + arguments[0]}, arguments[1:]...)...)
	tests.Stdout, tests.Stderr = os.Stdout, os.Stderr
	return tests.Run()
}

// copyModule copies the module that changes into a folder of modules.
func copyModule(modules string) error {
	from, err := golang("list", "-m", "-f", "{{.Dir}}", changes)
	if err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(modules, changes), os.DirFS(from))
}

// golang runs the go command, and returns what it says.
func golang(arguments ...string) (string, error) {
	command := exec.Command("go", arguments...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	said, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", arguments[0], err, strings.TrimSpace(complaints.String()))
	}
	return strings.TrimSpace(string(said)), nil
}
