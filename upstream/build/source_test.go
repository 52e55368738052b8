package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/guests"
)

// TestWhatIsNoGuest: one line says what is wrong with the name of a guest.
func TestWhatIsNoGuest(t *testing.T) {
	empty := t.TempDir()
	for text, want := range map[string]string{
		"kubernetes":               `"kubernetes" is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or kubernetes@DIR, and +PATCH behind it for each change; etcd@VERSION, such as etcd@v3.5.7; or client@DIR with a module of yours`,
		"etcd":                     `"etcd" is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or kubernetes@DIR, and +PATCH behind it for each change; etcd@VERSION, such as etcd@v3.5.7; or client@DIR with a module of yours`,
		"etcd@v3.4.45":             "etcd@v3.4.45: guests can be made of etcd@v3.5.x, etcd@v3.6.x and etcd@v3.7.x alone",
		"etcd@" + empty:            "etcd@" + empty + ": guests can be made of etcd@v3.5.x, etcd@v3.6.x and etcd@v3.7.x alone",
		"client@" + empty:          empty + " is no module: it has no go.mod with a line that begins with \"module \"",
		"kubernetes@v0.37.2:locks": "kubernetes@v0.37.2:locks: how goroutines are scheduled is said when the guest runs: compile kubernetes@v0.37.2",
		"kubernetes@v0.37.2:late":  "kubernetes@v0.37.2:late: how goroutines are scheduled is said when the guest runs: compile kubernetes@v0.37.2",
		"kubernetes@./v0.37.2":     "the guest of ./v0.37.2 would be named v0.37.2, as that of a release: rename the folder",
		"client@./mine:locked":     "the guest of ./mine:locked would be named mine:locked, and a colon or a comma in that name says something else: rename the folder",
		"kubernetes@" + empty:      empty + " is no checkout of kubernetes: it has no staging/src/k8s.io/apiserver",
	} {
		_, err := parseSource(text)
		require.EqualError(t, err, want)
	}
}

// TestCheckoutReplacesModules: what a checkout of Kubernetes publishes is taken from it, and its guest has the name
// of the folder.
func TestCheckoutReplacesModules(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	for _, name := range []string{"apiserver", "client-go", "no-module"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, staging, name), 0o755))
	}
	for _, name := range []string{"apiserver", "client-go"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, staging, name, "go.mod"), nil, 0o644))
	}
	s, err := parseSource("kubernetes@" + folder)
	require.NoError(t, err)
	require.Equal(t, "kubernetes@mine", s.name)
	edits, err := s.edits()
	require.NoError(t, err)
	at := filepath.Join(folder, staging)
	require.Equal(t, []string{"-replace=k8s.io/apiserver=" + at + "/apiserver", "-replace=k8s.io/client-go=" + at + "/client-go"}, edits)
}

// TestUsersModule: a module of the user's is taken from its folder, and its guest has the name of the folder.
func TestUsersModule(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("// Of mine.\nmodule example.com/mine // here\n\ngo 1.26.0\n"), 0o644))
	s, err := parseSource("client@" + folder)
	require.NoError(t, err)
	require.Equal(t, "client@mine", s.name)
	edits, err := s.edits()
	require.NoError(t, err)
	require.Equal(t, []string{"-require=example.com/mine@v0.0.0", "-replace=example.com/mine=" + folder}, edits)
}

// TestNamesStandForOneSource: a second folder whose guest has the same name is refused as long as the guest of the first is there.
func TestNamesStandForOneSource(t *testing.T) {
	directory := t.TempDir()
	first, second := source{name: "kubernetes@mine", origin: "/a/mine"}, source{name: "kubernetes@mine", origin: "/b/mine"}
	require.NoError(t, first.claim(directory))
	require.NoError(t, second.claim(directory), "the first was never compiled")
	require.NoError(t, first.claim(directory))
	wasm := guests.Path(directory, first.name)
	require.NoError(t, os.WriteFile(wasm, nil, 0o644))
	require.NoError(t, first.claim(directory))
	require.EqualError(t, second.claim(directory),
		"the guest kubernetes@mine is made from /a/mine, and would be replaced by that of /b/mine: rename one of them, or remove "+wasm)
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

// TestOlderClientIsNotRaised: a module that asks for an older client of etcd is told so.
func TestOlderClientIsNotRaised(t *testing.T) {
	folder, work := t.TempDir(), t.TempDir()
	write := func(folder, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o644))
	}
	write(work, "module guest\n\nrequire (\n\tgo.etcd.io/etcd/api/v3 v3.7.3\n\tgo.etcd.io/etcd/client/v3 v3.7.3\n)\n")
	u := usersModule{"example.com/mine", folder}
	for asked, raised := range map[string]bool{"": false, "require go.etcd.io/etcd/client/v3 v3.7.3\n": false, "require go.etcd.io/etcd/client/v3 v3.5.12\n": true, "require (\n\tgo.etcd.io/etcd/client/v3 v3.6.1 // indirect\n)\n": true} {
		write(folder, "module example.com/mine\n"+asked)
		require.Equal(t, raised, u.raised(work) != nil, asked)
	}
	write(folder, "module example.com/mine\nrequire go.etcd.io/etcd/client/v3 v3.5.12\n")
	require.EqualError(t, u.raised(work), filepath.Join(folder, "go.mod")+" asks for go.etcd.io/etcd/client/v3 v3.5.12, and guests are compiled with v3.7.3 at least: ask for that version there")
}

// TestBranchesOfCheckouts: they are told apart by their files, and the version of Go that one wants is in its go.mod.
func TestBranchesOfCheckouts(t *testing.T) {
	folder := t.TempDir()
	p := find("kubernetes")
	require.Equal(t, []string{"v0.38"}, p.branchOf(folder).files)
	path := filepath.Join(folder, staging, "apiserver/pkg/storage/cacher/store/store_btree.go")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.Empty(t, p.branchOf(folder).files)
	require.Empty(t, p.branchOf("v0.37.2").files)
	require.Equal(t, []string{"v0.38"}, p.branchOf("v0.38.0-alpha.2").files)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module x\n\ngo 1.27.0\n"), 0o644))
	require.Equal(t, "1.27.0", wanted(filepath.Join(folder, "go.mod")))
	require.Empty(t, wanted(filepath.Join(folder, "none")))
}
