// Package reply has the seams at which what an etcd server sends can be made wrong: the
// answers of its key-value API, and the responses of its watch API that have events or name
// a compaction. All releases send what the store says. Known bugs are other values.
//
// It must never import another package of sim/etcd, all of which may import it.
package reply
