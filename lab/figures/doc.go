// Package figures measures what the documents of the scenarios say in numbers: what LISTs,
// watches and informers cost, how much memory they take, and how long they wait. Its tests
// hold the tables of scenarios/*.md, and write them anew:
//
//	go test ./figures -run TestFigures -figures.update
//
// All is in the tests of the package. It must never import anything.
package figures
