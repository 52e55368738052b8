package overlay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Test is a test binary that is compiled for the bed.
type Test struct {
	// Folder is that of the package, Tags are build tags.
	Folder, Tags string
	// StandIns are files of modules that other files stand for, by the path of the package and the name of the file.
	StandIns map[string]string
	// Tree is a work tree of a repository that lies elsewhere, empty if there is none: a relative path out of it is one out
	// of the repository.
	Tree, Repository string
}

// ErrNoTests is that of a package without tests.
var ErrNoTests = errors.New("it has no tests")

// testTag is the build tag with which package etcdtest tells the host which schedule begins.
const testTag = "watchbed"

// testPatches are the further changes of the Go distribution for tests. A wake-up is lost between a critical section and
// the wait that follows it.
var testPatches = []patch{
	{"sync/mutex.go", []change{{"	m.mu.Unlock()\n", "	m.mu.Unlock()\n	watchbedLock()\n"}}},
	// What a pool keeps from schedule to schedule is no part of one.
	{"sync/pool.go", []change{{"	allPoolsMu.Lock()\n	defer allPoolsMu.Unlock()\n", "	allPoolsMu.mu.Lock()\n	defer allPoolsMu.mu.Unlock()\n"}}},
	{"runtime/chan.go", []change{
		{"func chansend1(c *hchan, elem unsafe.Pointer) {\n", "func chansend1(c *hchan, elem unsafe.Pointer) {\n	watchbedLock()\n"},
		{"func chanrecv1(c *hchan, elem unsafe.Pointer) {\n", "func chanrecv1(c *hchan, elem unsafe.Pointer) {\n	watchbedLock()\n"},
		{"func chanrecv2(c *hchan, elem unsafe.Pointer) (received bool) {\n", "func chanrecv2(c *hchan, elem unsafe.Pointer) (received bool) {\n	watchbedLock()\n"},
	}},
	{"runtime/select.go", []change{{"nsends, nrecvs int, block bool) (int, bool) {\n", "nsends, nrecvs int, block bool) (int, bool) {\n	if block {\n		watchbedLock()\n	}\n"}}},
}

// Compile writes the test binary into a folder of its own, and returns its path. The user's module stays as it is:
// modules in which a file is replaced are copied, and a go.mod beside them says so.
func (t *Test) Compile(ctx context.Context, work, guests string) (string, error) {
	said, err := Installed.Run(t.Folder, "list", "-f", "{{with .Module}}{{.GoMod}} {{.GoVersion}}{{end}}", ".")
	if err != nil {
		return "", err
	}
	mod, wanted, found := strings.Cut(said, " ")
	if !found {
		return "", fmt.Errorf("%s is in no module: neither it nor a folder above it has a go.mod", t.Folder)
	}
	with, err := GolangFor(wanted, guests)
	if err != nil {
		return "", err
	}
	with.until = ctx
	own := filepath.Join(work, "own.mod")
	for from, to := range map[string]string{mod: own, strings.TrimSuffix(mod, "mod") + "sum": strings.TrimSuffix(own, "mod") + "sum"} {
		text, err := os.ReadFile(from)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return "", err
		}
	}
	if t.Tree != "" {
		if err := t.replaceOutside(with, filepath.Dir(mod), own); err != nil {
			return "", err
		}
	}
	used, err := with.Run(t.Folder, "list", "-mod=mod", "-modfile="+own, "-e", "-deps", "-test", "-tags="+t.Tags, "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", ".")
	if err != nil {
		return "", err
	}
	if err := t.standIn(with, own, strings.Split(used, "\n")); err != nil {
		return "", err
	}
	list, err := Write(Program{tests: true}, with.Release, work, with.Root, "", map[string]string{})
	if err != nil {
		return "", err
	}
	binary := filepath.Join(work, "test.wasm")
	_, err = with.Run(t.Folder, "test", "-c", "-vet=off", "-trimpath", "-ldflags=-w", "-mod=mod", "-modfile="+own, "-overlay="+list,
		"-tags="+strings.Trim(t.Tags+","+testTag, ","), "-o="+binary, ".")
	if err != nil {
		return "", t.foreign(with, own, err)
	}
	if _, err := os.Stat(binary); err != nil {
		return "", fmt.Errorf("%s: %w", t.Folder, ErrNoTests)
	}
	return binary, nil
}

// replaceOutside has modules beside the repository stand where the go.mod of the work tree says.
func (t *Test) replaceOutside(with *Golang, module, own string) error {
	said, err := ReadGoMod(own)
	if err != nil {
		return err
	}
	for _, r := range said.Replace {
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
			continue
		}
		below, err := filepath.Rel(t.Tree, filepath.Join(module, r.New.Path))
		if err != nil || !strings.HasPrefix(below, "..") {
			continue
		}
		if _, err := with.Run(t.Folder, "mod", "edit", "-replace="+r.Old.String()+"="+filepath.Join(t.Repository, below), own); err != nil {
			return err
		}
	}
	return nil
}

// standIn copies the modules of which a file is replaced, and has the go.mod name the copies.
func (t *Test) standIn(with *Golang, own string, used []string) error {
	texts := map[string]string{}
	for _, s := range common {
		texts[s.file] = s.text
	}
	for file, by := range t.StandIns {
		text, err := os.ReadFile(by)
		if err != nil {
			return fmt.Errorf("the file that is to stand for %s: %w", file, err)
		}
		texts[file] = string(text)
	}
	copies := map[string]string{}
	for file, text := range texts {
		module, folder := moduleOf(file, used)
		if module == "" {
			if t.StandIns[file] != "" {
				return fmt.Errorf("no module that the test uses has %s", file)
			}
			continue
		}
		to, copied := copies[module]
		if !copied {
			to = filepath.Join(filepath.Dir(own), fmt.Sprintf("module-%d", len(copies)))
			copies[module] = to
			if err := os.CopyFS(to, os.DirFS(folder)); err != nil {
				return err
			}
			if _, err := with.Run(t.Folder, "mod", "edit", "-replace="+module+"="+to, own); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(to, strings.TrimPrefix(file, module)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// moduleOf is the module of a file, by its path and folder; each line of used has both of one.
func moduleOf(file string, used []string) (module, folder string) {
	for _, line := range used {
		path, at, _ := strings.Cut(line, " ")
		if strings.HasPrefix(file, path+"/") && len(path) > len(module) {
			module, folder = path, at
		}
	}
	return module, folder
}

// noSpace is the complaint about a disk that is full.
var noSpace = regexp.MustCompile(`.*no space left on device`)

// heading is the line in which the go command names a package that does not compile.
var heading = regexp.MustCompile(`(?m)^# (\S+)$`)

// foreign says which package does not compile for the bed, and what imports it.
func (t *Test) foreign(with *Golang, own string, err error) error {
	c, is := err.(*Complaint)
	if !is {
		return err
	}
	if full := noSpace.FindString(c.text); full != "" {
		return errors.New("the test cannot be compiled: " + full)
	}
	named := heading.FindStringSubmatch(c.text)
	if named == nil {
		return err
	}
	why, _ := with.Run(t.Folder, "mod", "why", "-modfile="+own, named[1])
	chain := strings.Split(why, "\n")
	if len(chain) < 3 {
		return err
	}
	return fmt.Errorf("%s does not compile for wasip1: %w; imported by %s; if that is no part of the test, -stand-in %s/FILE.go=YOURS.go takes another file in its place",
		named[1], err, strings.Join(chain[1:len(chain)-1], " > "), named[1])
}
