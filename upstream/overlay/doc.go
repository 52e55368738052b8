// Package overlay is what a guest is compiled with instead of files of the Go distribution
// and of modules: go build -overlay. The Go distribution is changed so that the host of a
// guest decides what is left open: which goroutine runs next, which case of a select is
// taken, and what happens when nothing can run. Files of modules that do not compile for
// wasip1 are left out, and so is what the guest does not need and what would take minutes
// to compile.
//
// The changes are matched by text, and are made for the releases of Go in go.go. Others are
// refused with one line. Nothing of what is generated is committed.
//
// The package must never import any other package of this module.
package overlay
