// Package partial completes recordings that lack some writers: it adds writes that explain
// what the recorded clients saw. A history that is right with them is right as far as it is
// recorded.
//
// It must never import a judge: it decides nothing.
package partial
