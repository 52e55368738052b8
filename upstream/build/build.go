package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/watchbed/watchbed/explore/checkpoint"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/overlay"
)

// build compiles a guest and returns the path of the result.
func build(text string) (string, error) {
	s, err := parseSource(text)
	if err != nil {
		return "", err
	}
	directory, err := guests.Directory()
	if err != nil {
		return "", err
	}
	if err := s.claim(directory); err != nil {
		return "", err
	}
	wanted, err := s.goVersion()
	if err != nil {
		return "", fmt.Errorf("the modules of %s are not found: %w", s.name, err)
	}
	with, err := overlay.GolangFor(wanted, directory)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.name, err)
	}
	work := filepath.Join(directory, "work", s.name)
	alone, err := claimWork(work)
	if err != nil {
		return "", err
	}
	defer alone.Close()
	missing, err := prepare(&s, with, work)
	if err != nil {
		return "", err
	}
	changes := filepath.Join(work, "overlay")
	if err := os.MkdirAll(changes, 0o755); err != nil {
		return "", err
	}
	vendored := filepath.Join(work, "vendor")
	changed, err := overlay.Apply(vendored, s.patched)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.name, err)
	}
	list, err := overlay.Write(s.branch.overlay, with.Release, changes, with.Root, vendored, changed)
	if err != nil {
		return "", err
	}
	raw := filepath.Join(work, "guest.wasm")
	if _, err := with.Run(work, "build", "-mod=vendor", "-trimpath", "-overlay", list, "-o", raw, "."); err != nil {
		err = overlay.Logged(s.name+" does not compile", work, err)
		if missing != nil {
			return "", fmt.Errorf("%w; of its modules some are not found: %w", err, missing)
		}
		return "", err
	}
	wasm, err := os.ReadFile(raw)
	if err != nil {
		return "", err
	}
	if wasm, err = engine.ExportGlobals(wasm); err != nil {
		return "", err
	}
	// Behind the export of the globals, since what is left to count is no part of a guest's state.
	if wasm, err = engine.CountLoops(wasm); err != nil {
		return "", err
	}
	// A rename leaves a guest that runs as it is.
	path := guests.Path(directory, s.name)
	wasm = engine.Stamp(wasm, s.of.protocol)
	if err := os.WriteFile(raw, wasm, 0o644); err != nil {
		return "", err
	}
	return path, os.Rename(raw, path)
}

// claimWork keeps other builds of the same guest from its folder until this one ends.
func claimWork(work string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(work), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(work+".lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := checkpoint.Lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s is being built by another process: wait until that has ended", filepath.Base(work))
	}
	return f, nil
}

// prepare makes the folder in which the guest is compiled: its source, and all modules. A module that is not found may
// be one that only tests import, so that the guest compiles without it: missing is what the go command says of it.
func prepare(s *source, with *overlay.Golang, work string) (missing, err error) {
	if err := os.RemoveAll(work); err != nil {
		return nil, err
	}
	if err := copySource(s, work); err != nil {
		return nil, fmt.Errorf("the source of the guest is not there, run this in the folder upstream: %w", err)
	}
	edits, err := s.edits()
	if err != nil {
		return nil, err
	}
	ours, err := ownModules(work)
	if err != nil {
		return nil, err
	}
	edits = append(edits, ours...)
	if _, err := with.Run(work, append([]string{"mod", "edit"}, edits...)...); err != nil {
		return nil, err
	}
	if s.version != s.branch.pinned {
		if _, missing = with.Run(work, "mod", "tidy"); missing != nil {
			if _, err := with.Run(work, "mod", "tidy", "-e"); err != nil {
				return nil, overlay.Logged("the modules of "+s.name+" are not found", work, missing)
			}
		}
	}
	if _, err := with.Run(work, "mod", "vendor", "-e"); err != nil {
		return nil, overlay.Logged("the modules of "+s.name+" are not found", work, err)
	}
	return missing, nil
}

// upstream is the module of this folder, and of the package protocol. Guests have the package alone, so that what else
// the module requires changes nothing of them: as a module of its own.
const upstream = "github.com/watchbed/watchbed/upstream"

// ownModules are what go mod edit is told of the package protocol.
func ownModules(work string) ([]string, error) {
	folder := filepath.Join(work, "protocol")
	if err := os.CopyFS(folder, os.DirFS("protocol")); err != nil {
		return nil, err
	}
	module := upstream + "/protocol"
	return []string{"-require=" + module + "@v0.0.0", "-replace=" + module + "=./protocol"},
		os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module "+module+"\n\ngo 1.26.0\n"), 0o644)
}

// copySource copies the source of the guest, and in place of some of its files those of the branch: _v3.6.release.go
// stands for release.go. The go command leaves out a file whose name begins so, so that the files of other branches may
// stay.
func copySource(s *source, work string) error {
	if err := os.CopyFS(work, os.DirFS(s.of.folder)); err != nil {
		return err
	}
	for _, branch := range s.branch.files {
		place := func(path string, entry fs.DirEntry, err error) error {
			name, of := strings.CutPrefix(filepath.Base(path), "_"+branch+".")
			if err != nil || !of {
				return err
			}
			taken := filepath.Join(filepath.Dir(path), name)
			if _, err := os.Stat(taken); err != nil {
				return fmt.Errorf("%s stands for no file: %w", path, err)
			}
			return os.Rename(path, taken)
		}
		if err := filepath.WalkDir(work, place); err != nil {
			return err
		}
	}
	return nil
}
