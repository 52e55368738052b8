// Package checkpoint keeps a search on disk, so that it goes on after it was interrupted or
// killed.
//
// A directory has three files, to which bytes are only added. The states and the graph of a
// search are written and synced first. Then a line in the third, "parts", says how long both
// are, and what else the search must know to go on from there. A line counts once it is whole.
// So whenever the process or the machine ends, the whole lines are a search that goes on, and
// what is behind them in any file is cut off. Files without a whole first line are left alone:
// only an end while that line was written lets a search begin there.
//
// Each line begins with a checksum of everything before it, in all files. A file that was
// changed is refused, and never searched on.
//
//	Log     the files of one search
//	Part    what is added at a time
//
// The package imports nothing of this module. It must never import what searches: it does not
// know what the bytes mean.
package checkpoint
