// Package histories records what several concurrent clients of a real etcd
// server asked and were told, as a model.History.
//
// The clients contend for a handful of keys with puts, deletes, transactions,
// gets and lists. Now and then one gives up a put that is under way and goes on
// under a new name: as the same client, it would have one operation open while
// it starts the next, and no session guarantee says what that means. What became
// of such a put is found out from etcd's own history afterwards and noted as its
// Commit, so that judges can be tried both with and without that knowledge.
package histories
