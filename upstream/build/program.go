package main

import (
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	// modules are those that are published under one version.
	modules []string
	// A checkout has modules in the folders that match published. One of these, main, is there in each checkout.
	published []string
	main      string
	// release is the file of a checkout that says of which release it is, empty if the files of its branches tell these
	// apart.
	release  string
	branches []branch
}

// branch are versions that are compiled alike.
type branch struct {
	// name is how all of them begin, empty if any other version is one of them, and a checkout, too.
	name string
	// mark is a file that a checkout of the branch has and other checkouts do not, empty if there is none.
	mark string
	// pinned is the version that the go.mod and go.sum of the source are about. Others may be compiled with newer
	// modules that are not the program's own.
	pinned string
	// files are the branches whose files stand in place of some of the source, each in place of those before it.
	files   []string
	overlay overlay.Program
	// along are modules that come along with a version of the program: those of the pinned one are for no other.
	along []string
	// pins are versions of modules that another one stands for.
	pins []pin
}

// pin is a version of a module that is not served everywhere, and the one that is compiled in its place.
type pin struct{ module, wanted, taken string }

// kubernetes38 are no part of the watch path.
var kubernetes38 = []pin{
	{"sigs.k8s.io/structured-merge-diff/v7", "v7.0.1", "v7.0.0"},
}

var programs = []*program{
	{"kubernetes", "guest", protocol.Kubernetes, []string{"k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/client-go"}, []string{"staging/src/k8s.io/*"}, "staging/src/k8s.io/apiserver", "", []branch{
		// What etcd's client library is in these branches is up to their modules: the source says nothing of it.
		{"v0.33.", "", "", []string{"v0.36", "v0.35", "v0.33"}, overlay.Kubernetes33, nil, nil},
		{"v0.34.", "", "", []string{"v0.36", "v0.35", "v0.34"}, overlay.Kubernetes34, nil, nil},
		{"v0.35.", "", "", []string{"v0.36", "v0.35"}, overlay.Kubernetes34, nil, nil},
		{"v0.36.", "", "", []string{"v0.36"}, overlay.Kubernetes36, nil, nil},
		{"v0.37.", "staging/src/k8s.io/apiserver/pkg/storage/cacher/store/store_btree.go", "v0.37.2", nil, overlay.Kubernetes37, nil, nil},
		{"", "", "v0.38.0-alpha.2", []string{"v0.38"}, overlay.Kubernetes38, nil, kubernetes38},
	}},
	// The packages of etcd have other names in 3.6, and 3.7 has another protobuf.
	{"etcd", "etcdguest", protocol.Etcd, []string{
		"go.etcd.io/etcd/api/v3", "go.etcd.io/etcd/client/pkg/v3", "go.etcd.io/etcd/pkg/v3", "go.etcd.io/etcd/server/v3",
	}, []string{"*", "client/*"}, "server", "api/version/version.go", []branch{
		{"v3.5.", "", "v3.5.7", nil, overlay.Etcd35, nil, nil},
		{"v3.6.", "", "v3.6.16", []string{"v3.6"}, overlay.Etcd36, nil, nil},
		{"v3.7.", "", "v3.7.3", []string{"v3.6", "v3.7"}, overlay.Etcd36, nil, nil},
	}},
	{"cluster", "clusterguest", protocol.Cluster, []string{
		"go.etcd.io/etcd/api/v3", "go.etcd.io/etcd/client/pkg/v3", "go.etcd.io/etcd/pkg/v3", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/etcdutl/v3",
	}, []string{"*", "client/*"}, "server", "api/version/version.go", []branch{
		{"v3.5.", "", "v3.5.0", nil, overlay.Cluster35, clusterAlong, nil},
		{"v3.6.", "", "v3.6.16", []string{"v3.6"}, overlay.Cluster36, clusterAlong, nil},
		{"v3.7.", "", "v3.7.3", []string{"v3.6", "v3.7"}, overlay.Cluster37, clusterAlong, nil},
	}},
}

// clusterAlong are the modules of etcd that a server brings with it. A newer bbolt or client would be no part of its
// release.
var clusterAlong = []string{
	"go.etcd.io/bbolt", "go.etcd.io/raft/v3", "go.etcd.io/etcd/raft/v3", "go.etcd.io/etcd/client/v2", "go.etcd.io/etcd/client/v3",
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

// branchOf is the branch of a version, nil if there is none: it is older than the first.
func (p *program) branchOf(of string) *branch {
	number, _, _ := strings.Cut(of, "-")
	if version.Compare("go"+strings.TrimPrefix(number, "v"), "go"+strings.TrimPrefix(p.branches[0].name, "v")+"0") < 0 {
		return nil
	}
	for i := range p.branches {
		if b := &p.branches[i]; strings.HasPrefix(of, b.name) {
			return b
		}
	}
	return nil
}

var releaseLine = regexp.MustCompile(`\bVersion\s*=\s*"([0-9]+\.[0-9]+\.[0-9]+)`)

// checkedOut is the branch of a checkout, and the release that it says to be of, empty if it does not say. One of no
// branch is newer than all of them: it is compiled like the newest, and the simulated part of it is of that release.
func (p *program) checkedOut(folder string) (b *branch, release string, err error) {
	if p.release == "" {
		for i := range p.branches {
			b = &p.branches[i]
			if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(b.mark))); b.mark != "" && err == nil {
				break
			}
		}
		return b, "", nil
	}
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(p.release)))
	if err != nil {
		return nil, "", err
	}
	said := releaseLine.FindSubmatch(text)
	if said == nil {
		return nil, "", fmt.Errorf("%s does not say of which release the checkout is", filepath.Join(folder, filepath.FromSlash(p.release)))
	}
	release = "v" + string(said[1])
	if b = p.branchOf(release); b == nil {
		b = &p.branches[len(p.branches)-1]
		release = b.pinned
	}
	return b, release, nil
}

// example is a version of which there can be a guest.
func (p *program) example() string {
	return p.branches[slices.IndexFunc(p.branches, func(b branch) bool { return b.pinned != "" })].pinned
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
		if of.name == "" {
			b.WriteString("newer ones")
			continue
		}
		b.WriteString(p.name + "@" + of.name + "x")
	}
	return b.String()
}
