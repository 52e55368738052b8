package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/guests"
)

// TestWhatIsNoGuest: one line says what is wrong with the name of a guest.
func TestWhatIsNoGuest(t *testing.T) {
	empty := t.TempDir()
	for text, want := range map[string]string{
		"kubernetes":               `"kubernetes" is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or etcd@VERSION, such as etcd@v3.5.7, or cluster@VERSION, such as cluster@v3.6.16, or @DIR with a checkout, and +PATCH behind it for each change`,
		"etcd":                     `"etcd" is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or etcd@VERSION, such as etcd@v3.5.7, or cluster@VERSION, such as cluster@v3.6.16, or @DIR with a checkout, and +PATCH behind it for each change`,
		"kubernetes@v0.32.13":      "kubernetes@v0.32.13: guests can be made of kubernetes@v0.33.x, kubernetes@v0.34.x, kubernetes@v0.35.x, kubernetes@v0.36.x, kubernetes@v0.37.x and newer ones, and of checkouts",
		"etcd@v3.4.45":             "etcd@v3.4.45: guests can be made of etcd@v3.5.x, etcd@v3.6.x and etcd@v3.7.x, and of checkouts",
		"etcd@" + empty:            empty + " is no release of etcd, such as v3.5.7, and no checkout: it has no server",
		"kubernetes@v0.37.2:locks": "kubernetes@v0.37.2:locks: how goroutines are scheduled is said when the guest runs: compile kubernetes@v0.37.2",
		"kubernetes@v0.37.2:late":  "kubernetes@v0.37.2:late: how goroutines are scheduled is said when the guest runs: compile kubernetes@v0.37.2",
		"kubernetes@./v0.37.2":     "the guest of ./v0.37.2 would be named v0.37.2, as that of a release: rename the folder",
		"etcd@./mine:locked":       "the guest of ./mine:locked would be named mine:locked, and a colon or a comma in that name says something else: rename the folder",
		"kubernetes@" + empty:      empty + " is no release of kubernetes, such as v0.37.2, and no checkout: it has no staging/src/k8s.io/apiserver",
	} {
		_, err := parseSource(text)
		require.EqualError(t, err, want)
	}
}

// file writes a file and the folders above it.
func file(t *testing.T, text string, path ...string) {
	t.Helper()
	at := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(t, os.WriteFile(at, []byte(text), 0o644))
}

const pinned = "-replace=sigs.k8s.io/structured-merge-diff/v7@v7.0.1=sigs.k8s.io/structured-merge-diff/v7@v7.0.0"

// TestCheckoutReplacesModules: what a checkout publishes is taken from it. A guest of Kubernetes has the name of the
// folder, one of etcd that of its release, too, as the simulated part is of that.
func TestCheckoutReplacesModules(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	for _, name := range []string{"apiserver", "client-go"} {
		file(t, "module k8s.io/"+name, folder, "staging/src/k8s.io", name, "go.mod")
	}
	file(t, "", folder, "staging/src/k8s.io/no-module/x.go")
	s, err := parseSource("kubernetes@" + folder)
	require.NoError(t, err)
	require.Equal(t, "kubernetes@mine", s.name)
	edits, err := s.edits()
	require.NoError(t, err)
	at := filepath.Join(folder, "staging/src/k8s.io")
	require.Equal(t, []string{pinned, "-replace=k8s.io/apiserver=" + at + "/apiserver", "-replace=k8s.io/client-go=" + at + "/client-go"}, edits)

	file(t, "module go.etcd.io/etcd/server/v3\n\ngo 1.25.0\n", folder, "server/go.mod")
	file(t, "module go.etcd.io/etcd/client/pkg/v3", folder, "client/pkg/go.mod")
	for said, want := range map[string]string{"3.5.7": "v3.5.7", "3.6.17-rc.0": "v3.6.17", "3.8.0-alpha.0": "v3.7.3"} {
		file(t, "package version\n\nvar (\n\tMinClusterVersion = \"3.0.0\"\n\tVersion           = \""+said+"\"\n)\n", folder, "api/version/version.go")
		s, err = parseSource("etcd@" + folder)
		require.NoError(t, err)
		require.Equal(t, "etcd@"+want+"+mine", s.name)
		require.Equal(t, s.of.branchOf(want), s.branch)
	}
	edits, err = s.edits()
	require.NoError(t, err)
	require.Equal(t, []string{"-replace=go.etcd.io/etcd/server/v3=" + folder + "/server", "-replace=go.etcd.io/etcd/client/pkg/v3=" + folder + "/client/pkg"}, edits)
	version, err := s.goVersion()
	require.NoError(t, err)
	require.Equal(t, "1.25.0", version)
}

// TestModulesThatComeAlong: a member of a cluster has the bbolt and the raft of its own release. What the source says
// of them is about the pinned one.
func TestModulesThatComeAlong(t *testing.T) {
	for version, dropped := range map[string]bool{"v3.6.16": false, "v3.6.8": true} {
		s, err := parseSource("cluster@" + version)
		require.NoError(t, err)
		edits, err := s.edits()
		require.NoError(t, err)
		require.Contains(t, edits, "-require=go.etcd.io/etcd/server/v3@"+version)
		require.Equal(t, dropped, slices.Contains(edits, "-droprequire=go.etcd.io/bbolt"), version)
	}
}

// TestNamesStandForOneSource: a second folder whose guest has the same name is refused, also while the guest of the
// first is compiled, and where that was killed. A guest of which it is not known what it is made from goes.
func TestNamesStandForOneSource(t *testing.T) {
	directory := t.TempDir()
	first, second := source{name: "kubernetes@mine", origin: "/a/mine"}, source{name: "kubernetes@mine", origin: "/b/mine"}
	require.NoError(t, first.claim(directory))
	refused := "the guest kubernetes@mine is made from /a/mine, and would be replaced by that of /b/mine: rename one of them, or remove " + guests.OriginPath(directory, first.name)
	require.EqualError(t, second.claim(directory), refused)
	wasm := guests.Path(directory, first.name)
	require.NoError(t, os.WriteFile(wasm, nil, 0o644))
	require.NoError(t, first.claim(directory))
	require.EqualError(t, second.claim(directory), refused)
	require.FileExists(t, wasm)
	require.NoError(t, os.Remove(guests.OriginPath(directory, first.name)))
	require.NoError(t, second.claim(directory))
	require.NoFileExists(t, wasm)
	left, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// TestOriginsOfSources: they tell apart folders and patches of the same names.
func TestOriginsOfSources(t *testing.T) {
	folder := t.TempDir()
	patch := filepath.Join(folder, "116172.patch")
	require.NoError(t, os.WriteFile(patch, []byte("--- a/k8s.io/x.go\n+++ b/k8s.io/x.go\n@@\n-a\n+b\n"), 0o644))
	for text, want := range map[string]string{
		"kubernetes@v0.37.2+116172":   "v0.37.2 with the patch 116172",
		"kubernetes@v0.37.2+" + patch: "v0.37.2 with " + patch,
	} {
		s, err := parseSource(text)
		require.NoError(t, err)
		require.Equal(t, "kubernetes@v0.37.2+116172", s.name)
		require.Equal(t, want, s.origin)
	}
}

// TestFilesOfBranches: each file of a branch stands for one of the source, and no branch is without files.
func TestFilesOfBranches(t *testing.T) {
	t.Chdir("..")
	for _, p := range programs {
		for i := range p.branches {
			s := &source{of: p, branch: &p.branches[i]}
			work := t.TempDir()
			require.NoError(t, copySource(s, work))
			for _, name := range s.branch.files {
				var left []string
				placed := 0
				require.NoError(t, fs.WalkDir(os.DirFS(p.folder), ".", func(path string, _ fs.DirEntry, err error) error {
					if dir, file := filepath.Split(path); strings.HasPrefix(file, "_"+name+".") {
						placed++
						if _, err := os.Stat(filepath.Join(work, dir, file)); err == nil {
							left = append(left, path)
						}
					}
					return err
				}))
				require.NotZero(t, placed, name)
				require.Empty(t, left)
			}
		}
	}
}

// TestBranchesOfCheckouts: those of Kubernetes are told apart by their files.
func TestBranchesOfCheckouts(t *testing.T) {
	folder := t.TempDir()
	p := find("kubernetes")
	b, _, err := p.checkedOut(folder)
	require.NoError(t, err)
	require.Equal(t, []string{"v0.38"}, b.files)
	file(t, "", folder, "staging/src/k8s.io/apiserver/pkg/storage/cacher/store/store_btree.go")
	b, _, err = p.checkedOut(folder)
	require.NoError(t, err)
	require.Empty(t, b.files)
	require.Empty(t, p.branchOf("v0.37.2").files)
	require.Equal(t, []string{"v0.38"}, p.branchOf("v0.38.0-alpha.2").files)
	for version, pins := range map[string]bool{"v0.37.2": false, "v0.38.0-beta.0": true} {
		edits, err := (&source{of: p, branch: p.branchOf(version), version: version}).edits()
		require.NoError(t, err)
		require.Equal(t, pins, slices.Contains(edits, pinned), version)
	}

}
