// Package findings (unstable) is what the test bed has found in etcd and Kubernetes and what, as far
// as we found, is not reported, or not with all that becomes of it: a page each, written so
// that it can be sent upstream. README.md in this folder lists the pages.
//
// Beside them are the figures of the documents that the bed was built from, with what a command measures of each
// (figures.jsonl): the verdict follows from these. coverage.jsonl has the sections of the documents, and what covers
// each; a test of scenarios holds it to them.
//
// The package holds the pages as text, and takes them apart for `simrun list`. Its test runs every
// command of every page and figure, and holds the figures to what it finds. It must never import
// anything of the module: the command line lists the pages, and the test runs the command
// line.
package findings
