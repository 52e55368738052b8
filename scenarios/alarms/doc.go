// Package alarms (unstable) looks for false alarms: nothing is violated where nothing is known to
// be wrong, as scenarios are and as they are drawn. Between them the scenarios go through every
// branch that counts its coverage points, but for those of coveragepoints.jsonl.
//
// All is in the tests of the package. It must never import anything.
package alarms
