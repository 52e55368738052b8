// Package patches changes the modules that a guest is compiled from, in the guest's own copy
// of them: the folder undone has patches that undo what upstream mended, so that the bed is
// seen to find it, and a file of one's own is applied in the same way.
//
// A patch is a unified diff below any text that says what it is for. Its paths are those of
// the repository of Kubernetes or of etcd, or of the modules that these publish. Lines are matched
// by their text, wherever they are in the file: line numbers are not read, and need not be
// there. What does not apply any more is refused with one line.
//
// The package must never import any other package of this module.
package patches
