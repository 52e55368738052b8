package proofs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"
)

// beyond are the bugs that a search judges and that none has found, with what they need. The numbers are those of the
// smallest bounds that could show the bug, as far as they were searched.
var beyond = map[string]string{
	"issue-18667": "is found, and its row would prove too little: of one client with two drawn requests (drawn-seed=86) 652 states show an event of the refused " +
		"transaction, and without the bug the 1,120 states that are all there are have no event to be judged",
	"issue-22376": "needs a write, a transaction that rewrites its key, a compaction at that revision and a read, beside a cache that lists and watches: on one key the search " +
		"ends undecided at 504,631 states, and with three writes, no read, a cache that has listed and no timer at 404,094. Of 400 drawn seeds of one client with twelve requests none shows it " +
		"in 5 schedules",
	"compaction-in-range": "needs a Range that waits between two looks at the store while a compaction comes: two clients of four requests in all, drawn by 119 seeds, are " +
		"searched to their end and do not ask for both. Schedules find it with 12 clients",
	"kubernetes-35415-deepcopy": "changes an object of the cache without a new resourceVersion: a run compares the cache with etcd when that is new, and a search after each " +
		"step of the cache, so that what the search finds is seen later in the run of its schedule",
	"kubernetes-137631": "needs a watch that is ended while its channel is full, and whose client leaves then: with one watch, one client that stops reading and three writes, " +
		"321,324 states of stalled-watches-end were found in 25 s, and none of them shows it",
	"groups-expire-together": "needs two watches that are behind by different lengths of a history which has lost what the first of them wants: with two watches and four writes 59,449 states of " +
		"stalled-watches are all that there are and no 410 is among them, and with five writes and slow clients 306,361 states were found in 25 s",
	"latch-covered": "needs a watch that stalls again while it sends what it missed: with one slow client and five writes 63,773 states of stalled-watches-relist are all that there are, " +
		"and it does not stall twice in them",
	"kubernetes-91073": "needs eleven refusals by a cache that is behind another, after a watch that was refused there: with a refusal alone 174,600 states and with a " +
		"broken watch alone 83,348 states of informer-expired are all that there are, and both together are more. With one cache that is behind " +
		"a list of etcd's (freshness=direct informer-restarts=1) 60,352 states come to depth 17, and the eleven refusals alone are more than 40 steps",
	"kubernetes-116122": "needs a cache that lists again while a client's watch is on its way, for which its own watch has to break and two writes to be compacted: " +
		"104,645 states of watch-during-relist come to depth 17, and the run that shrinking gives has 68 steps. A cache that is replaced " +
		"(recreations=1), and streams that end in order, do not show it in 6,000 schedules each",
}

// TestBeyondIsNotFound: each bug is searchable, and has no row.
func TestBeyondIsNotFound(t *testing.T) {
	for name := range beyond {
		b, err := testbed.FindBug(name)
		require.NoError(t, err)
		require.True(t, searchable(b), name)
		require.False(t, slices.ContainsFunc(bugs, func(b bug) bool { return b.name == name }), "%s has a row", name)
	}
}

// TestBugsAreFoundOrExplained: no bug that can be searched for is without a row and a reason.
func TestBugsAreFoundOrExplained(t *testing.T) {
	for _, b := range testbed.KnownBugs() {
		if searchable(b) && !slices.ContainsFunc(bugs, func(x bug) bool { return x.name == b.Name }) {
			require.Contains(t, beyond, b.Name)
		}
	}
}
