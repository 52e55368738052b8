package draws

import "github.com/watchbed/watchbed/sim/option"

// Processes is which processes there are, and how they are connected.
var Processes = option.Ranges(`caches=1|2 namespaces=0|1|2 client-kv=true client-writes=true lagging=true`)

// Clients is how much clients write and read, and what there is before they begin. A
// scenario needs keys, writers and readers of its own.
var Clients = option.Ranges(`writers=1|3 writes=2|3|6 txns=true|false deletes=true|false noise=0|1|2 noise-writes=1|3
	noise-beside=true keys=1|2|3|6 items=0|1|2|5 history=0|1|3 compactions=0|1|3 await-ready=true|false`)

// Faults is what breaks, and how often. Those that need a member that lags do nothing
// without one.
var Faults = option.Ranges(`breaks=0|1|4 restarts=0|1|2 recreations=1 etcd-restarts=1|2 follower-restarts=1 etcd-snapshots=1|2
	defragment=true timeouts=1|3 leader-changes=1|2 overloads=1|2 leader-losses=1|2 stream-ends=1|2
	call-breaks=1|3`)
