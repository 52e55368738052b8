package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// tagged is the root module under a tag. No such tag is published.
var tagged = module.Version{Path: "github.com/watchbed/watchbed", Version: "v0.1.0"}

// inAnEmptyFolder is the test of a module that begins with go mod init.
const inAnEmptyFolder = `package mine

import (
	"testing"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenariotest"
)

func TestConsistentListsOnOurEtcd(t *testing.T) {
	p := scenarios.ConsistentList.Params
	p.Etcd = "ETCD"
	scenariotest.MustHold(t, scenarios.ConsistentList, p, 1_000)
}
`

// aClient is a test of an unmodified clientv3, whose lists come from the follower: with WithSerializable an old state
// is no surprise.
const aClient = `package mine

import (
	"context"
	"testing"

	"github.com/watchbed/watchbed/etcdtest"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestLists(t *testing.T) {
	etcdtest.Run(t, etcdtest.Config{Etcd: "3.6.16", Schedules: 100, Follower: true}, func(t *etcdtest.T) {
		client := t.Client()
		t.Go("writer", func() { _, _ = client.Put(t.Context(), "/pods/a", "1") })
		t.Go("reader", func() {
			for range 5 {
				_, _ = t.List(etcdtest.Consistent, "/pods/", func(ctx context.Context) (*clientv3.GetResponse, error) {
					return client.Get(ctx, "/pods/", clientv3.WithPrefix()OPTION)
				})
			}
		})
	})
}
`

// TestGoGetTakesATag builds a module proxy of one version from the commit that is checked out, and uses it from an
// empty folder.
func TestGoGetTakesATag(t *testing.T) {
	proxy := proxyOf(t, "..")
	mine, cache := t.TempDir(), t.TempDir()
	there, elsewhere := filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download"), goEnv(t, "GOPROXY")
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = mine
		// The modules that are there already need not be fetched again.
		cmd.Env = append(os.Environ(), "GOPROXY=file://"+proxy+",file://"+there+","+elsewhere, "GONOSUMDB="+tagged.Path,
			"GOMODCACHE="+cache, "GOFLAGS=-mod=mod -modcacherw -trimpath")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(name string, args ...string) string {
		out, err := run(name, args...)
		require.NoError(t, err, out)
		return out
	}
	must("go", "mod", "init", "example.com/mine")
	must("go", "get", tagged.String())
	write := func(etcd, option string) {
		for name, source := range map[string]string{
			"mine_test.go": strings.ReplaceAll(inAnEmptyFolder, "ETCD", etcd), "client_test.go": strings.ReplaceAll(aClient, "OPTION", option),
		} {
			require.NoError(t, os.WriteFile(filepath.Join(mine, name), []byte(source), 0o600))
		}
	}
	write("3.6.16", "")
	must("go", "test", "./...")
	write("3.5.7", ", clientv3.WithSerializable()")
	out, err := run("go", "test", "./...")
	require.Error(t, err)
	require.Contains(t, out, "progress=control-queue")
	require.Contains(t, out, "linearizable-data")
	require.Contains(t, must("go", "run", tagged.Path+"/cmd/simrun", "list", "issue-15220"), "issue-15220")
	file, err := os.ReadFile(filepath.Join(mine, "go.mod"))
	require.NoError(t, err)
	require.NotContains(t, string(file), "replace")
	// What a guest or a real server needs is in modules of its own.
	for _, heavy := range []string{"go.etcd.io/etcd/server", "k8s.io/apiserver", "k8s.io/client-go", "k8s.io/api "} {
		require.NotContains(t, must("go", "list", "-m", "all"), heavy)
	}
}

// proxyOf is a folder in the form of a module proxy, with the commit of a repository as the tagged version.
func proxyOf(t *testing.T, repository string) string {
	t.Helper()
	root, err := filepath.Abs(repository)
	require.NoError(t, err)
	proxy := t.TempDir()
	versions := filepath.Join(proxy, "github.com/watchbed/watchbed/@v")
	require.NoError(t, os.MkdirAll(versions, 0o755))
	write := func(name, contents string) {
		require.NoError(t, os.WriteFile(filepath.Join(versions, name), []byte(contents), 0o600))
	}
	write("list", tagged.Version+"\n")
	write(tagged.Version+".info", fmt.Sprintf(`{"Version":%q}`, tagged.Version))
	file, err := exec.Command("git", "-C", root, "show", "HEAD:go.mod").Output()
	require.NoError(t, err)
	write(tagged.Version+".mod", string(file))
	archive, err := os.Create(filepath.Join(versions, tagged.Version+".zip"))
	require.NoError(t, err)
	files, packed := t.TempDir(), filepath.Join(t.TempDir(), "files.tar")
	for _, args := range [][]string{{"git", "-C", root, "archive", "-o", packed, "HEAD"}, {"tar", "-xf", packed, "-C", files}} {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, zip.CreateFromDir(archive, tagged, files))
	require.NoError(t, archive.Close())
	return proxy
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
