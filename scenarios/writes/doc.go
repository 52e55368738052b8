// Package writes holds scenarios in which clients write through API servers, each of which hands
// the object of its cache on to the storage as a suggestion.
//
// The package must never import package scenarios, which lists these among its own.
package writes
