package clusternode

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// What a member's machine says of it in stories.
var (
	noteBegins   = sim.NewNote1[int]("clusternode.begins", "process %d of the member begins")
	noteServes   = sim.NewNote1[string]("clusternode.serves", "serves, as etcd %s")
	noteJoined   = sim.NewNote0("clusternode.joined", "is ready to serve clients")
	noteStopped  = sim.NewNote1[string]("clusternode.stopped", "stops by itself: %s", sim.IsSetback)
	noteKilled   = sim.NewNote0("clusternode.killed", "is killed", sim.IsSetback)
	noteNoPower  = sim.NewNote1[string]("clusternode.nopower", "loses power; lost: %s", sim.IsSetback)
	notePaused   = sim.NewNote0("clusternode.paused", "is paused", sim.IsSetback)
	noteResumed  = sim.NewNote0("clusternode.resumed", "goes on")
	noteStarved  = sim.NewNote1[string]("clusternode.starved", "its goroutine %s gets no processor", sim.IsSetback)
	noteFed      = sim.NewNote0("clusternode.fed", "that goroutine gets a processor again")
	noteStalled  = sim.NewNote0("clusternode.stalled", "its disk stalls: fsync does not return", sim.IsSetback)
	noteUnstall  = sim.NewNote0("clusternode.unstalled", "fsync of its disk returns again")
	noteCut      = sim.NewNote2[string, string]("clusternode.cut", "no %s of %s gets through to it", sim.IsSetback)
	noteMended   = sim.NewNote2[string, string]("clusternode.mended", "any %s of %s gets through to it again")
	noteFull     = sim.NewNote0("clusternode.full", "its disk is full", sim.IsSetback)
	noteRoom     = sim.NewNote0("clusternode.room", "its disk has room again")
	noteIOError  = sim.NewNote2[string, string]("clusternode.ioerror", "the next %s a file in %s fails", sim.IsSetback)
	noteFlipped  = sim.NewNote1[string]("clusternode.flipped", "%s changes; clients are cut off", sim.IsSetback)
	noteSpreads  = sim.NewNote0("clusternode.spreads", "is sent a database from a disk of which a bit has changed; clients are cut off", sim.IsSetback)
	noteClock    = sim.NewNote1[time.Duration]("clusternode.clock", "its clock goes forward by %v", sim.IsSetback)
	noteEnds     = sim.NewNote1[string]("clusternode.ends", "its process ends, as it may with such a disk: %s")
	noteWiped    = sim.NewNote0("clusternode.wiped", "begins anew with an empty disk, for a member that was added", sim.IsSetback)
	noteLost     = sim.NewNote0("clusternode.lost", "is lost with its disk", sim.IsSetback)
	noteGone     = sim.NewNote0("clusternode.gone", "is lost for good", sim.IsSetback)
	noteClogged  = sim.NewNote0("clusternode.clogged", "nothing that it sends on watch streams of an API server gets through", sim.IsSetback)
	noteCopied   = sim.NewNote0("clusternode.copied", "the disks of all members are copied")
	noteSaved    = sim.NewNote1[string]("clusternode.saved", "the database of %s is copied")
	noteBumped   = sim.NewNote2[int64, int]("clusternode.bumped", "has restored the copy, and is at revision %d with %d keys")
	noteRestored = sim.NewNote0("clusternode.restored", "begins again with the copy of its disk", sim.IsSetback)
	noteUpgraded = sim.NewNote0("clusternode.upgraded", "is stopped, to go on with the other release")
	noteLogged   = sim.NewNote1[string]("clusternode.logged", "log: %s")
)

// What can happen to a member.
var (
	coverStarved  = sim.NewCoveragePoint("cluster: a goroutine of a member gets no processor")
	coverNoPower  = sim.NewCoveragePoint("cluster: a member loses power with writes that are not durable")
	coverEnds     = sim.NewCoveragePoint("cluster: a process ends by what its disk does")
	coverBehind   = sim.NewCoveragePoint("cluster: messages wait behind a cut of a stream")
	coverSpreads  = sim.NewCoveragePoint("cluster: a database is sent from a disk of which a bit has changed")
	coverBack     = sim.NewCoveragePoint("cluster: all members go back to before what clients were told")
	coverBumped   = sim.NewCoveragePoint("cluster: a copy is restored from before what clients were told, with higher revisions")
	coverUpgraded = sim.NewCoveragePoint("cluster: a member goes on with another release")
	coverSnapshot = sim.NewCoveragePoint("cluster: a member sends a snapshot to another one")
	coverNoSpace  = sim.NewCoveragePoint("cluster: a member refuses a write, as its database is as large as it may be")
	coverReplaced = sim.NewCoveragePoint("cluster: a machine begins anew, as another member")
	coverGone     = sim.NewCoveragePoint("cluster: a member hears that it has been removed")
	coverLost     = sim.NewCoveragePoint("cluster: a member is lost for good")
	coverStopped  = sim.NewCoveragePoint("cluster: a member stops by itself")
	coverElection = sim.NewCoveragePoint("cluster: a member asks for votes")
	coverRejected = sim.NewCoveragePoint("cluster: a member rejects entries")
)
