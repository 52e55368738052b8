// Package layering has the rules of which package may import which, as tables, and
// the tests that hold every package of the module to them. It is the place to look
// when the question is where new code belongs, and the place to change when the
// answer changes.
//
//	layers      which package stands on which
//	forbidden   what a package must never import, not even indirectly, and why
//
// The rules are for what is built: tests may import what they need. The package has
// no code that is not a test, and must never be imported.
package layering
