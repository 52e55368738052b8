// Package shrinking is how short the run of each known bug becomes: what shrinking makes of what
// random schedules find, beside the shortest run that is known. README.md in this folder is the
// table, shrunk.json the figures.
//
// All else is in the tests of the package: they shrink again and compare, so that a change that
// makes shrinking worse is seen. The package must never import anything.
package shrinking
