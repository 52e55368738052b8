// Package items (unstable) is the judges' view of a store: its items, what a write
// makes of them, and whether an answer agrees with them. Contents is all of it; a Base are the
// items that many histories begin with.
//
// It knows package model only, and must never import the judges that use it: a history, its
// order and its clients are theirs.
package items
