package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/watchbed/watchbed/upstream/overlay"
)

// Where the plain Go tests and the native program are, as seen from the folder upstream, and the module that the bugs
// are put back into.
const (
	plainModule  = "yardstick"
	plainPackage = "./unreached"
	nativeModule = "guest/native"
	patched      = "k8s.io/apiserver"
)

// measureNative measures the rows of the native program that have the bug.
func measureNative(ctx context.Context, bug string) error {
	source, err := goCommand(ctx, nativeModule, "list", "-m", "-f", "{{.Dir}}", patched)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "watchbed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	undone, err := withBug(dir, nativeModule, strings.TrimSpace(source), bug)
	if err != nil {
		return err
	}
	out, err := goCommand(ctx, nativeModule, "test", "-modfile", undone, "-ldflags=-checklinkname=0", "-timeout", "1h", ".",
		"-native.change="+bug, "-native.update")
	fmt.Print(out)
	return err
}

// checkPlain runs each plain Go test with the code that ships and with its bug, with which it must fail.
func checkPlain(ctx context.Context) ([]string, error) {
	source, err := goCommand(ctx, plainModule, "list", "-m", "-f", "{{.Dir}}", patched)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "watchbed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var wrong []string
	for _, l := range lessons {
		if l.test == "" {
			continue
		}
		args := []string{"test", "-count=1", "-run", "^" + l.test + "$", plainPackage}
		if out, err := goCommand(ctx, plainModule, args...); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s fails with the code that ships: %v\n%s", l.test, err, out))
			continue
		}
		undone, err := withBug(dir, plainModule, strings.TrimSpace(source), l.bug)
		if err != nil {
			return nil, err
		}
		out, err := goCommand(ctx, plainModule, append([]string{"test", "-modfile", undone}, args[1:]...)...)
		if err == nil || !strings.Contains(out, "--- FAIL: "+l.test) {
			wrong = append(wrong, fmt.Sprintf("%s does not fail with the bug %s\n%s", l.test, l.bug, out))
			continue
		}
		fmt.Printf("%s: %s passes, and fails with the bug\n", l.bug, l.test)
	}
	return wrong, nil
}

// withBug is the path of a go.mod of the module, in which the patched one has a bug put back: Go compiles nothing else
// in place of a file of the module cache.
func withBug(dir, module, source, name string) (string, error) {
	p, err := overlay.Find(name)
	if err != nil {
		return "", err
	}
	// Patches name files of a folder with all modules.
	modules := filepath.Join(dir, name)
	copied := filepath.Join(modules, filepath.FromSlash(patched))
	if err := os.CopyFS(copied, os.DirFS(source)); err != nil {
		return "", err
	}
	changed, err := overlay.Apply(modules, []*overlay.Patch{p})
	if err != nil {
		return "", err
	}
	for path, text := range changed {
		// Files of the module cache cannot be written, nor their copies.
		if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return "", err
		}
	}
	for _, extension := range []string{".mod", ".sum"} {
		text, err := os.ReadFile(filepath.Join(module, "go"+extension))
		if err != nil {
			return "", err
		}
		if extension == ".mod" {
			text = fmt.Appendf(text, "\nreplace %s => %s\n", patched, copied)
		}
		if err := os.WriteFile(modules+extension, text, 0o644); err != nil {
			return "", err
		}
	}
	return modules + ".mod", nil
}

// goCommand runs the go command in a module, and returns all that it says.
func goCommand(ctx context.Context, module string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = module
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("go %s ended with %d", args[0], exit.ExitCode())
	}
	return out.String(), err
}
