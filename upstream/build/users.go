package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// usersModule is a module of the user's, whose package has New: what makes a key-value store of a client of etcd.
type usersModule struct{ path, folder string }

func parseUsers(of *program, branch *branch, where string) (source, error) {
	folder, err := folderOf(where)
	if err != nil {
		return source{}, err
	}
	path := modulePath(filepath.Join(folder, "go.mod"))
	if path == "" {
		return source{}, fmt.Errorf(`%s is no module: it has no go.mod with a line that begins with "module "`, where)
	}
	return source{of: of, branch: branch, name: of.name + "@" + filepath.Base(folder), users: usersModule{path, folder}}, nil
}

// modulePath is what a go.mod says that its module is called, empty if it does not.
func modulePath(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`)
		}
	}
	return ""
}

// edits are what go mod edit is told.
func (u usersModule) edits() []string {
	return []string{"-require=" + u.path + "@v0.0.0", "-replace=" + u.path + "=" + u.folder}
}

// link adds the file that has the guest use the package.
func (u usersModule) link(work string) error {
	text := fmt.Sprintf("//go:build wasip1\n\npackage main\n\nimport users %q\n\nfunc init() { newKV = users.New }\n", u.path)
	return os.WriteFile(filepath.Join(work, "users.go"), []byte(text), 0o644)
}

// etcdClient is the module of the client that guests of users have.
const etcdClient = "go.etcd.io/etcd/client/v3"

// raised says that the guest would be compiled with a newer client of etcd than the user's module asks for.
func (u usersModule) raised(work string) error {
	asked, got := required(filepath.Join(u.folder, "go.mod")), required(filepath.Join(work, "go.mod"))
	if asked == "" || asked == got {
		return nil
	}
	return fmt.Errorf("%s asks for %s %s, and guests are compiled with %s at least: ask for that version there", filepath.Join(u.folder, "go.mod"), etcdClient, asked, got)
}

// required is the version of etcd's client that a go.mod requires, empty if it does not.
func required(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if at := slices.Index(fields, etcdClient); (at == 0 || at == 1 && fields[0] == "require") && at+1 < len(fields) {
			return fields[at+1]
		}
	}
	return ""
}
