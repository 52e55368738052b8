// Package memory keeps a process from allocating more than a threshold by measuring
// what it has allocated (KEP-3157, "Alternatives", 2).
//
// What is measured are the objects in answers to LISTs that clients are still being
// sent. The package must never import sim/cache or another package below it.
package memory
