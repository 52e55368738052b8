// Package etcd (unstable) is a simulated etcd server: the only member of its cluster that
// takes reads and writes, as one node of a simulation. It exists to answer clients
// in every way in which a real server of a given version could, its bugs included.
//
// It has the original's parts under the original's names, and its bugs come out
// of them: a version, or a bug put on top, selects which queue or handler runs
// (Options), never an extra step that misbehaves.
//
//	mvcc     the store with its watchers: notify, syncWatchers, victims, compaction, restore
//	v3rpc    the gRPC streams of watches: recvLoop, sendLoop, ctrlStream
//	lease    the lessor: leases, and the keys attached to them
//	etcd     the server around them: raft log and apply path, reads, members, faults
//
// A release is a preset of options, computed from the table in version.go.
//
// The package imports sim, sim/wire and its own parts. It must never import
// sim/client or sim/cache, which meet it in sim/wire only, nor model: the
// independent specification that judges what is answered here.
//
// # Yield points
//
// Each line is one step, between two places where the original lets go of a
// lock, blocks, or hands over to another goroutine.
//
//	raftNode of a follower         deliver an entry that the leader has committed
//	raftNode, applierV3backend     deliver a write: it is in the log, committed
//	                               task applyLoop: one entry, its notify, its revision
//	EtcdServer.Range, Txn          deliver: readNotifier
//	linearizableReadLoop           take all readers, confirm the committed index
//	                               notify them once that is applied
//	linearizableReadLoop of a follower: ask the leader; deliver its index
//	EtcdServer.Range, Txn, Compact task: the handler's own read transaction, the answer
//	                               a timer, and no task, for a Range that has a price
//	EtcdServer.rangeStream         task: one chunk, a read transaction of its own, and its Send
//	                               the keys behind the limit are counted
//	                               Send, when the window has room again
//	lessor.runLoop                 timer: one lease that has expired, its revocation is in the log
//	scheduleCompaction             one batch; a timer between two; with the last one the handlers
//	                               of physical compactions go on (Physc)
//	recvLoop, create               deliver (and Rev)
//	                               watchStream.Watch
//	                               progress, prevKV, fragment, under sws.mu
//	                               Rev, ctrlStream <-, which may block
//	recvLoop, cancel               deliver, cancelWatcher, which may wait for a victim
//	                               remove it from watchStream.watchers
//	                               Rev, ctrlStream <-
//	                               progress, prevKV, fragment, under sws.mu
//	recvLoop, progress             deliver, and Rev and ctrlStream <-, or RequestProgressAll
//	sendLoop                       take from watchStream, from ctrlStream, or a tick: one
//	                               task for each that has something, as select is random
//	                               one previous value (Range), see below
//	                               gRPC Send, when the window has room again
//	                               sws.mu after a Send from watchStream: progress, deferred
//	                               RequestProgress of one watch of a tick
//	syncWatchersLoop               timer: syncWatchers, under watchableStore.mu throughout
//	syncVictimsLoop                take victims
//	                               send to one of them, without any lock
//	                               assign those of one batch
//	serverWatchStream.close        deliver the hang-up; again when victims have landed
//
// Where the original goes over a Go map and a client could see the order, the
// order is a choice: watchers of one stream in notify, syncWatchers, moveVictims
// and a tick, and the subset that choose picks. Watchers of different streams
// send to different channels: within one step no client sees the order. Timed,
// the phase of syncWatchersLoop and the jitter of tickers are choices too.
//
// # Steps that are merged, and why no client sees it
//
// A client knows neither when its message arrived nor when an answer was put on
// the wire. So what a goroutine does right after a receive may be one step with
// the delivery (it could have come later), and a send that no other goroutine of
// the server sees may be one step with what came before it (the network could have
// held it).
//
//   - raft: with one member an entry is committed when it is on disk. A read
//     that is confirmed between proposal and commit would not wait for the entry;
//     the same happens if the entry arrives later.
//   - notify and the increment of the current revision, unless visible-revision says
//     otherwise. Only serializable reads and the headers of control responses could see
//     the state between (mvcc.Options.VisibleLater); caches of Kubernetes look at neither. With
//     two steps, a step that needs the lock of the watchable store begins with the
//     second one, and so does a transaction that only reads.
//   - take and Send: only sendLoop reads ids and pending, so it changes them
//     before Send instead of after. The flags
//     prevKV and fragment of one response are read in this one step. Only a
//     stream that cancels an id and creates it again with other flags, while an
//     oversized response of the old watch is in the loop's hands, could see that.
//   - reads of previous values: nothing but a compaction changes what a past
//     revision holds. They are steps of their own while one is committed and not
//     applied, else one step with the take.
//   - Rev and ctrlStream <-: a response that is in the queue earlier can be sent
//     later.
//   - the apply loop lets readers go after each entry, the original after each
//     batch of entries: raft may have made smaller batches.
//   - moveVictims puts back the watchers that it could not send to in one step
//     with the last assignment. In between only a cancel would look for them, and
//     it would wait.
//   - cancelWatcher tries again every millisecond while a victim is in flight, here
//     as soon as it has landed: the tries before change nothing.
//   - store.Compact locks store.mu, which a storeTxnRead holds for reading until its End. So
//     it waits for each Range and each Txn that only reads, and store.Read waits behind it.
//     A Range with a price has this wait (CompactsInRange). All other reads are one
//     step, and such a step may come while a Compact waits: no answer tells a client whether
//     the Compact had begun to wait before the read began.
//   - a chunk of a RangeStream and its Send: no other goroutine of the server sees the chunk.
//     Where the window is full the next chunk is read when there is room, the original reads
//     it and then waits: the same as a window that is one message larger.
//   - turns of syncWatchersLoop that find nothing unsynced, and rounds of
//     moveVictims that find no victims, are left out.
//   - a hang-up stops both loops at once: what they would still do on this stream
//     reaches no client.
//   - 3.6.0 to 3.6.8 keep the events of a turn of syncWatchers for the next one. They are
//     those of the backend, at revisions that are not compacted, and a turn reads what is
//     missing before and behind them. Only before a negative revision nothing is ever
//     missing: then the turn has what was kept, and no more (KeepsHistory). Upstream
//     forgets them if the last unsynced watcher is cancelled while syncWatchersLoop is
//     between two locks, which is the same as not to have had a turn before.
//
// # Left out
//
// Members that take writes beside the serving member, and with them a leader that has been replaced and does not know
// it (#20418; read-index-ids shows the follower's side of it). The other members only report a version, and may take
// over (Member). A member that follows serves watches and reads (Config.Leader): raft
// between the two is a stream of committed entries, each of which the leader sends when it is in its log. What reads
// cost, if a scenario gives them a price, is one queue (ReadOptions). A snapshot that brings news (InstallSnapshot
// brings the store itself). Authentication, and with it the revision of permissions that RangeStream compares again
// behind its last chunk, alarms and quotas. Of leases: the stream of keep-alives, checkpoints, LeaseLeases, and the
// limit of revocations a second. A put that keeps the value of a key which the same transaction deletes: clients here
// do not ask for it. Of a lost key (LosesRecreated) that is put again before a restart: the restart counts its versions
// anew from that put. Errors of gRPC: a stream ends when its connection does. gRPC's own limit of a message
// (--max-request-bytes and 512 KiB) is far above what clients here send.
//
// Released servers as a cluster show what is left out of members, logs, disks and users: each row of
// upstream/measure/cluster.json is about one of these, but for those of watches (#15220, #18089, #19179, #20221,
// #20693), which the simulated server shows as well.
package etcd
