// Package flip (unstable) looks for the cause of a violation: with another value of one behaviour,
// or without one kind of fault, the recorded schedule, followed as far as it fits, no longer
// violates the property, other runs that fail in the same way do not either, and other schedules
// fail more rarely.
//
//	candidate  what may be the cause, and what may be put in its place
//	others     other schedules, and those of them that fail in the same way
//	trial      one value in the place of another, tried on all of them
//	decision   what decides, and what the trials say for it
//	releases   which versions or designs have a value
//
// What only hides a violation is no cause: another design that has etcd answer, or
// an older release.
//
// The package must never import package story or package report.
package flip
