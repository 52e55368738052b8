// Package compared prints what differs between two sides of package diagnosis/compare, or
// between one side and what is known: what differs first, then what is unknown, then a count
// of what is alike.
//
// The package must never run anything.
package compared
