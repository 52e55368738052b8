// Package variant holds what designs other than the shipped one do with watches: the
// end of the initial events found by the bookmark timer, and the buffers that
// KEP-3157 weighs in its step 2b. Each is a value of a seam of package dispatch, in
// a file of its own, and is there for a program that imports this package.
//
// The package imports dispatch and what that imports. It must never import
// sim/cache.
package variant
