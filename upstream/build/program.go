package main

import "github.com/watchbed/watchbed/upstream/overlay"

// program is a kind of guest.
type program struct {
	name string
	// folder has its source, a module whose go.mod and go.sum are about the version that is pinned.
	folder, pinned string
	// modules are those that are published under one version.
	modules []string
	// branch is how all versions begin of which there can be a guest, empty if any can be, and a checkout, too: in
	// others the packages have other names.
	branch  string
	overlay overlay.Program
}

var programs = []*program{
	{"kubernetes", "guest", "v0.37.2", []string{"k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/client-go"}, "", overlay.Kubernetes},
	{"etcd", "etcdguest", "v3.5.7", []string{
		"go.etcd.io/etcd/api/v3", "go.etcd.io/etcd/client/pkg/v3", "go.etcd.io/etcd/pkg/v3", "go.etcd.io/etcd/server/v3",
	}, "v3.5.", overlay.Etcd},
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
