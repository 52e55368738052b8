package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// usersModule is a module of the user's, one of whose packages has New: what makes a key-value store of a client of
// etcd.
type usersModule struct {
	// folder is that of the module, imported the path of the package.
	folder, imported string
	said             *goMod
}

// usersModuleOf is the module that a package is in.
func usersModuleOf(folder string) (*usersModule, error) {
	at := folder
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			break
		}
		if at = filepath.Dir(at); at == filepath.Dir(at) {
			return nil, fmt.Errorf("%s is in no module: neither it nor a folder above it has a go.mod", folder)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*.go")); len(files) == 0 {
		return nil, fmt.Errorf("%s has no Go files: name the folder of the package that has New", folder)
	}
	said, err := readGoMod(filepath.Join(at, "go.mod"))
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(at, folder)
	if err != nil {
		return nil, err
	}
	return &usersModule{at, path.Join(said.Module.Path, filepath.ToSlash(below)), said}, nil
}

// majorVersion is what the path of a module ends with from version 2 on.
var majorVersion = regexp.MustCompile(`[./]v([0-9]+)$`)

// edits are what go mod edit is told: replace lines count in the module alone that is compiled, so that those of the
// user's are given again.
func (u *usersModule) edits() []string {
	major := "0"
	if m := majorVersion.FindStringSubmatch(u.said.Module.Path); m != nil {
		major = m[1]
	}
	edits := []string{"-require=" + u.said.Module.Path + "@v" + major + ".0.0", "-replace=" + u.said.Module.Path + "=" + u.folder}
	for _, r := range u.said.Replace {
		if strings.HasPrefix(r.New.Path, ".") {
			r.New.Path = filepath.Join(u.folder, r.New.Path)
		}
		edits = append(edits, fmt.Sprintf("-replace=%s=%s", r.Old, r.New))
	}
	return edits
}

// link adds the file that has the guest use the package.
func (u *usersModule) link(work string) error {
	text := fmt.Sprintf("//go:build wasip1\n\npackage main\n\nimport users %q\n\nfunc init() { newKV = users.New }\n", u.imported)
	return os.WriteFile(filepath.Join(work, "users.go"), []byte(text), 0o644)
}

// etcdClient is the module of the client that guests of users have.
const etcdClient = "go.etcd.io/etcd/client/v3"

// raised says that the guest would be compiled with a newer client of etcd than the user's module asks for.
func (u *usersModule) raised(work string) error {
	got, err := readGoMod(filepath.Join(work, "go.mod"))
	if err != nil {
		return err
	}
	asked := u.said.requires(etcdClient)
	if with := got.requires(etcdClient); asked != "" && asked != with {
		return fmt.Errorf("%s asks for %s %s, and guests are compiled with %s at least: ask for that version there", filepath.Join(u.folder, "go.mod"), etcdClient, asked, with)
	}
	return nil
}

// requires is the version of a module that a go.mod requires, empty if it does not.
func (m *goMod) requires(module string) string {
	for _, r := range m.Require {
		if r.Path == module {
			return r.Version
		}
	}
	return ""
}
