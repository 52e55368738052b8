// Package histories records what several concurrent clients of a real etcd server
// asked and were answered, as a model.History.
//
// The clients contend for a handful of keys with puts, deletes, transactions,
// gets and lists. Now and then one gives up a put that is under way and goes on
// under a new name: as the same client, it would have one operation open while it
// starts the next, and no session guarantee says what that means. The recorder
// looks the outcome of such a put up in etcd's own history afterwards and notes
// it as its Commit, so that the judges can be tried with and without it.
package histories
