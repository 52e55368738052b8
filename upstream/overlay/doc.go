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
// Named changes of the modules that a guest is compiled from are made in the guest's own copy
// of them. The folder undone has patches that undo what upstream mended, so that the bed is
// seen to find it, and a file of one's own is applied in the same way.
//
// A patch is a unified diff below any text that says what it is for. Its paths are those of
// the repository of Kubernetes or of etcd, or of the modules that these publish. Lines are matched
// by their text, wherever they are in the file: line numbers are not read, and need not be
// there. What does not apply any more is refused with one line.
//
// The package must never import any other package of this module.
package overlay
