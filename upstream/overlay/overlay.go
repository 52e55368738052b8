package overlay

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed runtime_hooks.go.txt
var hooks string

// Write writes the overlay into a directory and returns the path of the file that go build
// -overlay takes. goroot is that of the Go distribution, of which this is the release, vendored the folder of the modules, changed the
// files of modules that are compiled with other contents.
func Write(program Program, release *Go, directory, goroot, vendored string, changed map[string]string) (string, error) {
	replaced := map[string]string{}
	put := func(original, text string) error {
		path := filepath.Join(directory, fmt.Sprintf("%02d_%s", len(replaced), filepath.Base(original)))
		replaced[original] = path
		return os.WriteFile(path, []byte(text), 0o644)
	}
	distribution := patches
	if program.tests {
		distribution = withMore(patches, testPatches)
	}
	if program.files {
		distribution = withMore(patches, filePatches)
		if err := put(filepath.Join(goroot, "src", "runtime", "watchbed_files.go"), fileHooks); err != nil {
			return "", err
		}
	}
	for i := range distribution {
		text, err := distribution[i].apply(release, goroot)
		if err != nil {
			return "", err
		}
		if err := put(filepath.Join(goroot, "src", filepath.FromSlash(distribution[i].file)), text); err != nil {
			return "", err
		}
	}
	if err := put(filepath.Join(goroot, "src", "runtime", "watchbed.go"), hooks); err != nil {
		return "", err
	}
	if err := put(filepath.Join(goroot, "src", "runtime", "watchbed_seed.go"), release.seed); err != nil {
		return "", err
	}
	for _, s := range slices.Concat(program.stubs, program.added) {
		if err := put(filepath.Join(vendored, filepath.FromSlash(s.file)), s.text); err != nil {
			return "", err
		}
	}
	for i := range program.changed {
		p := &program.changed[i]
		path := filepath.Join(vendored, filepath.FromSlash(p.file))
		if changed[path] == "" {
			source, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			changed[path] = string(source)
		}
		text, err := p.applyTo(changed[path], p.file, "the guest needs it once: this version of the module is not known")
		if err != nil {
			return "", err
		}
		changed[path] = text
	}
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		if err := put(path, changed[path]); err != nil {
			return "", err
		}
	}
	for _, r := range program.reduced {
		files, err := leftOut(filepath.Join(vendored, filepath.FromSlash(r.folder)), r.keep)
		if err != nil {
			return "", err
		}
		for _, file := range files {
			replaced[file] = ""
		}
	}
	list, err := json.MarshalIndent(map[string]any{"Replace": replaced}, "", "\t")
	if err != nil {
		return "", err
	}
	path := filepath.Join(directory, "overlay.json")
	return path, os.WriteFile(path, list, 0o644)
}

// leftOut are the Go files of a folder except for those that are kept.
func leftOut(folder string, keep []string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no Go files: this version of the module is not known", folder)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return slices.Contains(keep, filepath.Base(file)) || strings.HasSuffix(file, "_test.go")
	}), nil
}
