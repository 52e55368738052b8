// Package watchscript plays short scripts to a server's watch API and notes
// what comes back on the wire. The recordings are the oracle for a simulated
// server: it must be able to answer each script in a way that a real one of the
// same version did.
//
// # The format of a recording
//
// A recording has a script and the outcomes that were observed. A script is a
// list of steps, all about one watch stream that is open from the start and the
// store behind it. The actions of one step are issued back to back, without
// waiting for answers to those on the stream; then nothing happens until the
// server has come to rest (nothing was received for several rounds of its
// 100 ms sync loop). Where a step has a creation and a progress request, the
// server therefore handles both before its next sync round, but for a chance of
// about one in a thousand.
//
// An outcome has, for each step, the responses received before the next one,
// and how often each version answered so. Where the original leaves something
// open (two watchers of one stream are notified in the order of a Go map),
// there are several outcomes, and a version has done each as often as "times"
// says. There, an outcome that only another version showed is luck, no
// difference between the versions.
//
// Revisions are counted as if the store had been empty, at revision 1, when the
// script began. Long values (of "size" bytes, all equal) are not spelled out.
package watchscript
