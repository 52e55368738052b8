// Package tampering makes one answer of a right history wrong, in ways that no
// order of the operations can explain. Judges are tested with it: a judge that
// lets one of them pass does not look.
//
// It imports model only, so that the tests of every judge can import it.
package tampering
