package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/overlay"
)

// source is what a guest is made of.
type source struct {
	of     *program
	branch *branch
	// name is that of the guest and of its design. origin is what it is made from: others may have the same name.
	name, origin string
	// version is one of the published modules. Else folder is a checkout of the program's repository.
	version, folder string
	// patched are the changes of it.
	patched []*overlay.Patch
}

func parseSource(text string) (source, error) {
	name, where, _ := strings.Cut(text, "@")
	of := find(name)
	if guest, how := guests.Scheduled(text); how.Locks || how.Late && name == "kubernetes" {
		return source{}, fmt.Errorf("%s: how goroutines are scheduled is said when the guest runs: compile %s", text, guest)
	}
	if of == nil || where == "" {
		return source{}, fmt.Errorf("%q is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or etcd@VERSION, such as etcd@v3.5.7, or cluster@VERSION, such as cluster@v3.6.16, or @DIR with a checkout, and +PATCH behind it for each change", text)
	}
	where, changes := cutPatches(where)
	s, err := parsePlace(of, where)
	if err != nil {
		return source{}, err
	}
	s.origin = s.version + s.folder
	for _, c := range changes {
		p, err := overlay.Find(c, s.branch.files...)
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

// parsePlace reads a version or a folder.
func parsePlace(of *program, where string) (source, error) {
	if strings.HasPrefix(where, "v") && !strings.ContainsRune(where, filepath.Separator) {
		branch := of.branchOf(where)
		if branch == nil {
			return source{}, fmt.Errorf("%s@%s: guests can be made of %s, and of checkouts", of.name, where, of.known())
		}
		return source{of: of, branch: branch, name: of.name + "@" + where, version: where}, nil
	}
	folder, err := folderOf(where)
	if err != nil {
		return source{}, err
	}
	s := source{of: of, branch: &of.branches[0], folder: folder}
	release := ""
	if _, missing := os.Stat(filepath.Join(folder, of.main, "go.mod")); missing != nil {
		err = fmt.Errorf("%s is no release of %s, such as %s, and no checkout: it has no %s", where, of.name, of.example(), of.main)
	} else {
		s.branch, release, err = of.checkedOut(folder)
	}
	if s.name = of.name + "@" + filepath.Base(folder); release != "" {
		s.name = of.name + "@" + release + "+" + filepath.Base(folder)
	}
	return s, err
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

// edits are what go mod edit is told.
func (s *source) edits() ([]string, error) {
	var edits []string
	if s.version != s.branch.pinned {
		for _, module := range s.branch.along {
			edits = append(edits, "-droprequire="+module)
		}
	}
	for _, x := range s.branch.pins {
		edits = append(edits, fmt.Sprintf("-replace=%s@%s=%s@%s", x.module, x.wanted, x.module, x.taken))
	}
	if s.folder == "" {
		for _, module := range s.of.modules {
			edits = append(edits, fmt.Sprintf("-require=%s@%s", module, s.version))
		}
		return edits, nil
	}
	for _, folders := range s.of.published {
		files, err := filepath.Glob(filepath.Join(s.folder, folders, "go.mod"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			said, err := overlay.ReadGoMod(f)
			if err != nil {
				return nil, err
			}
			edits = append(edits, "-replace="+said.Module.Path+"="+filepath.Dir(f))
		}
	}
	return edits, nil
}

// goVersion is the version of Go that the guest wants, empty if it does not say.
func (s *source) goVersion() (string, error) {
	file := filepath.Join(s.folder, s.of.main, "go.mod")
	switch {
	case s.version != "":
		var err error
		if file, err = overlay.Installed.Run(".", "list", "-m", "-f", "{{.GoMod}}", s.of.modules[len(s.of.modules)-1]+"@"+s.version); err != nil {
			return "", err
		}
	}
	said, err := overlay.ReadGoMod(file)
	if err != nil {
		return "", err
	}
	return said.Go, nil
}
