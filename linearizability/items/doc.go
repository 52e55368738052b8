// Package items (unstable) is what judges know of a store: the items that it has, what a write
// makes of them, and whether an answer is what they are. Contents is all of it; a Base are the
// items that many histories begin with.
//
// It knows package model only, and must never import the judges that use it: a history, its
// order and its clients are theirs.
package items
