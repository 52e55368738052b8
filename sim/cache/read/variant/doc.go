// Package variant has ways to answer reads that no release ships: ideas of the
// drafts of KEP-2340, and designs that it is compared with. Each is a value of a
// seam of package read, in a file of its own, with its own state.
//
// Package read must not import it: what it can do, another module can do as well.
package variant
