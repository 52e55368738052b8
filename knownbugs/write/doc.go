// Package write holds the known bugs of how an API server writes, one file each: the issue, the
// release that fixed it, what it changes, and where it shows. What it changes is registered as a
// value of a seam of sim/cache/write. Most are rows of the table of reproductions of Kubernetes'
// own correctness suite (test/integration/apiserver/storage).
//
// One row cannot be planted: 89828-deepcopy, in which Delete is handed the live object of the cache. The
// store takes the resourceVersion out of it and puts it back within one step of the goroutine,
// and nothing here looks at the object in between.
//
// The package must never import diagnosis, report or a command.
package write
