package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/patches"
)

// source is what a guest is made of.
type source struct {
	of     *program
	branch *branch
	// name is that of the guest and of its design. origin is what it is made from: others may have the same name.
	name, origin string
	// version is one of the published modules, checkout a folder of Kubernetes' repository, users a module of the user's: one of
	// the three is set.
	version, checkout string
	users             usersModule
	// patched are the changes of it.
	patched []*patches.Patch
}

func parseSource(text string) (source, error) {
	name, where, _ := strings.Cut(text, "@")
	of := find(name)
	if guest, how := guests.Scheduled(text); how.Locks || how.Late && name == "kubernetes" {
		return source{}, fmt.Errorf("%s: how goroutines are scheduled is said when the guest runs: compile %s", text, guest)
	}
	if of == nil || where == "" {
		return source{}, fmt.Errorf("%q is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or kubernetes@DIR, and +PATCH behind it for each change; etcd@VERSION, such as etcd@v3.5.7; or client@DIR with a module of yours", text)
	}
	where, changes := cutPatches(where)
	s, err := parsePlace(of, where)
	if err != nil {
		return source{}, err
	}
	s.origin = where
	if s.version == "" {
		s.origin = s.checkout + s.users.folder
	}
	for _, c := range changes {
		p, err := patches.Find(c)
		if err != nil {
			return source{}, err
		}
		origin, err := p.Origin()
		if err != nil {
			return source{}, err
		}
		s.patched = append(s.patched, p)
		s.name += "+" + p.Name
		s.origin += " with " + origin
	}
	return s, nil
}

// cutPatches splits v0.37.2+116172+mine.patch. The path of a checkout may have a plus in it, too.
func cutPatches(where string) (string, []string) {
	if _, err := os.Stat(where); err == nil {
		return where, nil
	}
	parts := strings.Split(where, "+")
	return parts[0], parts[1:]
}

// parsePlace reads a version or the folder of a checkout.
func parsePlace(of *program, where string) (source, error) {
	branch := of.branchOf(where)
	if branch == nil {
		return source{}, fmt.Errorf("%s@%s: guests can be made of %s alone", of.name, where, of.known())
	}
	if of.hosts {
		return parseUsers(of, branch, where)
	}
	if strings.HasPrefix(where, "v") && !strings.ContainsRune(where, filepath.Separator) {
		return source{of: of, branch: branch, name: of.name + "@" + where, version: where}, nil
	}
	folder, err := folderOf(where)
	if err != nil {
		return source{}, err
	}
	if _, err := os.Stat(filepath.Join(folder, staging, "apiserver", "go.mod")); err != nil {
		return source{}, fmt.Errorf("%s is no checkout of kubernetes: it has no %s", where, filepath.Join(staging, "apiserver"))
	}
	return source{of: of, branch: branch, name: of.name + "@" + filepath.Base(folder), checkout: folder}, nil
}

// folderOf is the path of a folder after which a guest is named.
func folderOf(where string) (string, error) {
	folder, err := filepath.Abs(where)
	if err != nil {
		return "", err
	}
	switch name := filepath.Base(folder); {
	case strings.ContainsAny(name, ":,"):
		return "", fmt.Errorf("the guest of %s would be named %s, and a colon or a comma in that name says something else: rename the folder", where, name)
	case isRelease.MatchString(name):
		return "", fmt.Errorf("the guest of %s would be named %s, as that of a release: rename the folder", where, name)
	}
	return folder, nil
}

// isRelease matches names of published versions.
var isRelease = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+`)

// staging is where Kubernetes' repository has the modules that it publishes.
const staging = "staging/src/k8s.io"

// edits are what go mod edit is told.
func (s *source) edits() ([]string, error) {
	if s.of.hosts {
		return s.users.edits(), nil
	}
	if s.checkout == "" {
		var edits []string
		for _, module := range s.of.modules {
			edits = append(edits, fmt.Sprintf("-require=%s@%s", module, s.version))
		}
		return edits, nil
	}
	folders, err := os.ReadDir(filepath.Join(s.checkout, staging))
	if err != nil {
		return nil, err
	}
	var edits []string
	for _, f := range folders {
		path := filepath.Join(s.checkout, staging, f.Name())
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
			edits = append(edits, fmt.Sprintf("-replace=k8s.io/%s=%s", f.Name(), path))
		}
	}
	return edits, nil
}

// goMod is the go.mod that says which version of Go the guest wants.
func (s *source) goMod() (string, error) {
	switch {
	case s.of.hosts:
		return filepath.Join(s.users.folder, "go.mod"), nil
	case s.checkout != "":
		return filepath.Join(s.checkout, staging, "apiserver", "go.mod"), nil
	}
	return here.run(".", "list", "-m", "-f", "{{.GoMod}}", s.of.modules[len(s.of.modules)-1]+"@"+s.version)
}
