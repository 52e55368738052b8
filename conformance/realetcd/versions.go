package realetcd

import (
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

// Built reports whether "make servers" was run for a version.
func Built(version string) bool {
	info, err := os.Stat(Binary(version))
	return err == nil && info.Mode().IsRegular()
}

// moduleDir is found from this source file, so that tests of every package and
// the recorder agree on it from every working directory. Hence nothing
// in this module is built with -trimpath.
func moduleDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}
