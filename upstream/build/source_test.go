package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsNoGuest: one line says what is wrong with the name of a guest.
func TestWhatIsNoGuest(t *testing.T) {
	empty := t.TempDir()
	for text, want := range map[string]string{
		"kubernetes":          `"kubernetes" is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or kubernetes@DIR, and +PATCH behind it for each change; etcd@VERSION, such as etcd@v3.5.7; or client@DIR with a module of yours`,
		"etcd":                `"etcd" is no guest: want kubernetes@VERSION, such as kubernetes@v0.37.2, or kubernetes@DIR, and +PATCH behind it for each change; etcd@VERSION, such as etcd@v3.5.7; or client@DIR with a module of yours`,
		"etcd@v3.4.45":        "etcd@v3.4.45: guests can be made of etcd@v3.5.x, etcd@v3.6.x and etcd@v3.7.x alone",
		"etcd@" + empty:       "etcd@" + empty + ": guests can be made of etcd@v3.5.x, etcd@v3.6.x and etcd@v3.7.x alone",
		"client@" + empty:     empty + " is no module: it has no go.mod with a line that begins with \"module \"",
		"kubernetes@" + empty: empty + " is no checkout of kubernetes: it has no staging/src/k8s.io/apiserver",
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
