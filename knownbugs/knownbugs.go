// Package knownbugs says of each bug that caches, etcd, its client library, informers
// and compactors had where it shows. A program that imports it, for its side effects alone, knows them all.
//
// The package must never import report or a command.
package knownbugs

import (
	_ "github.com/watchbed/watchbed/knownbugs/check"
	_ "github.com/watchbed/watchbed/knownbugs/client"
	_ "github.com/watchbed/watchbed/knownbugs/compactor"
	_ "github.com/watchbed/watchbed/knownbugs/etcd"
	_ "github.com/watchbed/watchbed/knownbugs/etcd/compaction"
	_ "github.com/watchbed/watchbed/knownbugs/etcd/leases"
	_ "github.com/watchbed/watchbed/knownbugs/etcd/members"
	_ "github.com/watchbed/watchbed/knownbugs/etcd/rangestream"
	_ "github.com/watchbed/watchbed/knownbugs/etcd/ticker"
	_ "github.com/watchbed/watchbed/knownbugs/flowcontrol"
	_ "github.com/watchbed/watchbed/knownbugs/informer"
	_ "github.com/watchbed/watchbed/knownbugs/informer/shared"
	_ "github.com/watchbed/watchbed/knownbugs/ingestion"
	_ "github.com/watchbed/watchbed/knownbugs/read"
	_ "github.com/watchbed/watchbed/knownbugs/reply"
	_ "github.com/watchbed/watchbed/knownbugs/watch"
	_ "github.com/watchbed/watchbed/knownbugs/write"
)
