package realetcd

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Versions are the releases that the recordings cover, oldest first: one before
// progress requests were ordered with events (3.5.7), one that may defer them
// for ever (3.5.12), and the newest of both supported branches.
func Versions() []string { return []string{"3.5.7", "3.5.12", "3.5.35", "3.6.16"} }

// Compared are the releases whose servers are compared with the simulated ones anew: those
// of the recordings, and the newest of all.
func Compared() []string { return append(Versions(), "3.7.3") }

// Binary is where "make servers" puts the server of a version.
func Binary(version string) string {
	return filepath.Join(moduleDir(), "bin", "etcd-"+version)
}

// missing says in a line why the server of a version cannot be run, and what to do; it is empty if it
// can be.
func missing(version, binary string) string {
	if !filepath.IsAbs(binary) {
		return fmt.Sprintf("etcd %s cannot be found: -trimpath hides where this module is (go env GOFLAGS): build without it", version)
	}
	if info, err := os.Stat(binary); err != nil || !info.Mode().IsRegular() {
		return fmt.Sprintf("etcd %s is not built, %s is not there: run make servers", version, binary)
	}
	return ""
}

// moduleDir is found from this source file, so that tests of every package and
// the recorder agree on it from every working directory. With -trimpath it is
// no path of this machine.
func moduleDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}
