// Package flip looks for the single behaviour that decides a violation: with
// another value of it the recorded schedule, followed as far as it fits, no
// longer violates the property, and other runs that fail in the same way do not
// either.
//
//	alike     other runs that fail in the same way
//	trial     one value of one behaviour, tried on all of them
//	decision  a behaviour that decides, and what the trials say for it
//	releases  which versions or designs have a value
//
// The package must never import package story or package report.
package flip
