// Package evidence (unstable) records what etcd and the caches were like when clients asked, and
// when they were answered. Judges hold an answer against both: a refusal needs a reason that was so
// at some time in between, and an answer may have any revision that etcd had meanwhile.
//
// The recorder looks at a node only after a step that can have changed it, and at a client
// only after the client's own steps: requests leave and answers arrive in no others. In
// between, a cache is in the state after the last step that could change it.
//
// The package must never import a package of properties: it judges nothing.
package evidence
