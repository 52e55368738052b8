// Package proof (unstable) says what a search of every schedule came to: what
// was covered within which bounds, what was cut, and a shortest run of each way
// to fail, with its story.
//
// The package must never print anything.
package proof
