// Package sampled is how much of all schedules a sample sees: the states, histories and classes of
// schedules of small worlds that random schedules of each strategy come to, against all of them,
// which a search has counted. README.md in this folder is the table, sampled.json the figures.
//
// All else is in the tests of the package: they count again and compare. The package must
// never import anything.
package sampled
