package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/watchbed/watchbed/upstream/overlay"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// program is a kind of guest.
type program struct {
	name string
	// folder has its source, a module, protocol is the version of the protocol that it speaks.
	folder   string
	protocol uint64
	// hosts: a package of the user's is compiled into it, which is what it is named after.
	hosts bool
	// modules are those that are published under one version.
	modules  []string
	branches []branch
}

// branch are versions that are compiled alike.
type branch struct {
	// name is how all of them begin, empty if any other version is one of them, and a checkout, too.
	name string
	// mark is a file that a checkout of the branch has in one of its modules and other checkouts do not, empty if there is none.
	mark string
	// pinned is the version that the go.mod and go.sum of the source are about. Others may be compiled with newer
	// modules that are not the program's own.
	pinned string
	// files are the folders of files that stand in place of some of the source, each in place of those before it.
	files   []string
	overlay overlay.Program
}

var programs = []*program{
	{"kubernetes", "guest", protocol.Kubernetes, false, []string{"k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/client-go"}, []branch{
		{"v0.37.", "apiserver/pkg/storage/cacher/store/store_btree.go", "v0.37.2", nil, overlay.Kubernetes37},
		{"", "", "v0.38.0-alpha.2", []string{"v0.38"}, overlay.Kubernetes38},
	}},
	// The packages of etcd have other names in 3.6, and 3.7 has another protobuf.
	{"etcd", "etcdguest", protocol.Etcd, false, []string{
		"go.etcd.io/etcd/api/v3", "go.etcd.io/etcd/client/pkg/v3", "go.etcd.io/etcd/pkg/v3", "go.etcd.io/etcd/server/v3",
	}, []branch{
		{"v3.5.", "", "v3.5.7", nil, overlay.Etcd35},
		{"v3.6.", "", "v3.6.16", []string{"v3.6"}, overlay.Etcd36},
		{"v3.7.", "", "v3.7.3", []string{"v3.6", "v3.7"}, overlay.Etcd36},
	}},
	// The versions of its modules are those that the user's module asks for, or newer ones.
	{"client", "clientguest", protocol.Client, true, nil, []branch{{"", "", "", nil, overlay.Client}}},
}

// find is the program of a name, nil if there is none.
func find(name string) *program {
	for _, p := range programs {
		if p.name == name {
			return p
		}
	}
	return nil
}

// branchOf is the branch of a version or of a checkout, nil if there is none.
func (p *program) branchOf(where string) *branch {
	for i := range p.branches {
		if b := &p.branches[i]; strings.HasPrefix(where, b.name) || b.marks(where) {
			return b
		}
	}
	return nil
}

// marks reports whether a checkout is of this branch by its files.
func (b *branch) marks(checkout string) bool {
	if b.mark == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(checkout, staging, filepath.FromSlash(b.mark)))
	return err == nil
}

// known says of which versions there can be a guest.
func (p *program) known() string {
	var b strings.Builder
	for i, of := range p.branches {
		switch i {
		case 0:
		case len(p.branches) - 1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(p.name + "@" + of.name + "x")
	}
	return b.String()
}
