// Package strategies has how soon each strategy finds each of the known bugs: schedules
// to the first that shows it, in campaigns with seeds of their own. README.md in this
// folder is the table, strategies.json has the figures.
//
// All else is in the tests of the package: they run the campaigns again and compare, so that a
// change which makes the search worse is seen. The package must never import anything.
package strategies
