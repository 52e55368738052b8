// Package checkpoint (unstable) keeps a search on disk, so that it goes on after it was interrupted or
// killed.
//
// A directory has one file, to which parts are only added. A part is a line that says what the search must
// know to go on from there, and how many bytes of states and of the graph follow. It is written and synced,
// and then its checksum, of everything before it in the file. A part counts once its checksum is whole. So
// whenever the process or the machine ends, the whole parts are a search that goes on, and what is behind
// them is cut off. A file without a whole first part is left alone: only an end while that part was
// written lets a search begin there. A changed file is refused, and never searched on. A file that ends
// too soon goes on from the parts that it has.
//
//	Log     the file of one search
//	Part    what is added at a time
//
// The package imports nothing of this module. It must never import what searches: it does not
// know what the bytes mean.
package checkpoint
