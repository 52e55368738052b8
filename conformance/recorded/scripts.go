package recorded

// Scripts are those that are recorded.
func Scripts() []Script {
	return []Script{
		{
			Name: "from-now",
			Why:  "A watch from revision 0 begins after the current revision and sees every change to its key.",
			Steps: []Step{
				{put("/a", "1"), put("/b", "1")},
				{watch("/a")},
				{put("/a", "2")},
				{put("/b", "2")},
				{remove("/a")},
				{remove("/a")},
				{put("/a", "3")},
			},
		},
		{
			Name: "from-past",
			Why:  "A watch from an old revision is brought the history of its range in one response, then what is new.",
			Steps: []Step{
				{put("/a/1", "1"), put("/b", "1"), put("/a/2", "1"), remove("/a/1"), put("/a/2", "2")},
				{from(2, watch("/a/", "/a0"))},
				{put("/a/1", "2")},
			},
		},
		{
			Name: "from-current-and-next",
			Why:  "The current revision still lies in the past of a watch; the next one does not.",
			Steps: []Step{
				{put("/a", "1"), put("/a", "2")},
				{from(3, watch("/a"))},
				{from(4, watch("/a"))},
				{put("/a", "3")},
			},
		},
		{
			Name: "from-future",
			Why:  "A watch from a future revision leaves out what comes before it.",
			Steps: []Step{
				{put("/a", "1")},
				{from(5, watch("/a"))},
				{put("/a", "2")},
				{put("/a", "3")},
				{put("/a", "4")},
				{put("/a", "5")},
			},
		},
		{
			Name: "from-negative",
			Why:  "A start revision below 0 is refused by newer servers.",
			Steps: []Step{
				{put("/a", "1")},
				{from(-1, watch("/a"))},
				{put("/a", "2")},
			},
		},
		{
			Name: "from-compacted",
			Why:  "A watch below the compacted revision is created and then cancelled; the id is free again once the client cancels too.",
			Steps: []Step{
				{put("/a", "1"), put("/a", "2"), put("/a", "3"), put("/a", "4"), compact(4)},
				{from(3, identified(7, watch("/a")))},
				{put("/a", "5")},
				{identified(7, watch("/a"))},
				{cancel(7)},
				{identified(7, watch("/a"))},
				{put("/a", "6")},
			},
		},
		{
			Name: "from-at-compacted",
			Why:  "The compacted revision itself can still be watched from.",
			Steps: []Step{
				{put("/a", "1"), put("/a", "2"), put("/a", "3"), put("/a", "4"), compact(4)},
				{from(4, watch("/a"))},
				{put("/a", "5")},
			},
		},
		{
			Name: "compacted-blocks-progress",
			Why:  "A watch that was cancelled for compaction stays on the stream, unsynced, until the client cancels it too.",
			Steps: []Step{
				{put("/a", "1"), put("/a", "2"), put("/a", "3"), compact(4)},
				{identified(8, watch("/a"))},
				{progress()},
				{from(2, identified(7, watch("/a")))},
				{progress()},
				{put("/a", "4")},
				{progress()},
				{cancel(7)},
				{progress()},
				{put("/a", "5")},
				{progress()},
			},
		},
		{
			Name: "ids",
			Why:  "The server numbers watches from 0 and passes over ids that a client has taken; an id in use is refused.",
			Steps: []Step{
				{identified(1, watch("/a"))},
				{watch("/a")},
				{watch("/a")},
				{identified(1, watch("/b"))},
				{identified(-5, watch("/a"))},
				{cancel(0)},
				{watch("/a")},
			},
		},
		{
			Name: "cancel",
			Why:  "A cancelled watch is silent; to cancel what is not there is ignored; the id may be used again.",
			Steps: []Step{
				{identified(3, watch("/a"))},
				{put("/a", "1")},
				{cancel(3)},
				{put("/a", "2")},
				{cancel(3)},
				{cancel(99)},
				{identified(3, watch("/a"))},
				{put("/a", "3")},
			},
		},
		{
			Name: "cancel-at-once",
			Why:  "A watch that is cancelled before the next sync round is sent nothing of the history.",
			Steps: []Step{
				{put("/a", "1")},
				{from(2, identified(3, watch("/a"))), cancel(3)},
				{put("/a", "2")},
			},
		},
		{
			Name: "empty-range",
			Why:  "A range that ends before it begins is refused.",
			Steps: []Step{
				{watch("/b", "/a")},
				{watch("/b", "/b")},
				{put("/b", "1")},
			},
		},
		{
			Name: "everything",
			Why:  "The range end \\0 means all keys from the first one on; an empty key is the smallest one.",
			Steps: []Step{
				{watch("\x00", "\x00")},
				{put("/a", "1")},
				{put("/b", "1")},
				{watch("", "\x00")},
				{watch("")},
			},
		},
		{
			Name: "one-revision",
			Why:  "The changes of one revision come in one response.",
			Steps: []Step{
				{put("/a/1", "1"), put("/a/2", "1"), put("/a/3", "1")},
				{watch("/a/", "/a0")},
				{remove("/a/", "/a0")},
				{from(5, watch("/a/", "/a0"))},
			},
		},
		{
			Name: "two-watches",
			Why:  "Watches of one stream have an order each, but none among them.",
			Steps: []Step{
				{put("/a", "1")},
				{watch("/a"), watch("/", "0")},
				{put("/a", "2")},
				{from(2, watch("/a")), from(2, watch("/", "0"))},
			},
		},
		{
			Name: "progress-no-watch",
			Why:  "A progress request on a stream without watches leaves nothing behind, not even in 3.5.12, for when there is one.",
			Steps: []Step{
				{put("/a", "1")},
				{progress()},
				{watch("/a")},
				{progress()},
				{put("/a", "2")},
				{progress()},
			},
		},
		{
			Name: "progress-synced",
			Why:  "A progress request on a stream whose watches are all synced is answered once for all, with the current revision.",
			Steps: []Step{
				{put("/a", "1")},
				{watch("/a"), watch("/b")},
				{progress()},
				{put("/other", "1")},
				{progress()},
				{put("/a", "2")},
				{progress(), progress()},
			},
		},
		{
			Name: "progress-unsynced-quiet",
			Why:  "#17507: a progress request meets an unsynced watch that has no events. 3.5.12 keeps silent until an event comes.",
			Steps: []Step{
				{put("/noise", "1"), put("/noise", "2")},
				{from(2, watch("/quiet")), progress()},
				{progress()},
				{put("/noise", "3")},
				{progress()},
				{put("/quiet", "1")},
				{progress()},
			},
		},
		{
			Name: "progress-unsynced-history",
			Why:  "#15220: a progress request meets an unsynced watch that has events to catch up on. 3.5.7 answers ahead of them.",
			Steps: []Step{
				{put("/a", "1"), put("/a", "2"), put("/a", "3")},
				{from(2, watch("/a")), progress()},
				{progress()},
			},
		},
		{
			Name: "progress-next",
			Why:  "A watch from the next revision, as after a list, has to wait for progress in the newer patch releases until that revision is there.",
			Steps: []Step{
				{put("/a", "1")},
				{from(3, watch("/a"))},
				{progress()},
				{put("/other", "1")},
				{progress()},
			},
		},
		{
			Name: "progress-future",
			Why:  "#20242: a watch from a future revision keeps its stream from progress in the newer patch releases. The older ones name a revision that this watch has not begun at.",
			Steps: []Step{
				{put("/a", "1")},
				{watch("/a")},
				{progress()},
				{from(5, watch("/b"))},
				{progress()},
				{put("/a", "2"), put("/a", "3")},
				{progress()},
				{put("/a", "4"), put("/a", "5")},
				{progress()},
			},
		},
		{
			Name: "progress-after-cancel",
			Why:  "Once the only watch is cancelled the stream is as it was without watches.",
			Steps: []Step{
				{put("/a", "1")},
				{identified(3, watch("/a"))},
				{cancel(3)},
				{progress()},
			},
		},
		{
			Name: "prev-kv",
			Why:  "Asked for, each event but a creation has the item that it replaced.",
			Steps: []Step{
				{put("/a", "1"), put("/a", "2"), remove("/a")},
				{from(2, prevKV(watch("/a")))},
				{put("/a", "3")},
				{put("/a", "4")},
				{remove("/a")},
			},
		},
		{
			Name: "prev-kv-compacted",
			Why:  "The item that was replaced is read when the event is sent; below the compacted revision it is missing without notice.",
			Steps: []Step{
				{put("/a", "1"), put("/a", "2"), put("/a", "3"), put("/a", "4"), compact(3)},
				{from(3, prevKV(watch("/a")))},
			},
		},
		{
			Name: "filters",
			Why:  "What is filtered out leaves no response behind, not even an empty one.",
			Steps: []Step{
				{put("/a", "1"), remove("/a")},
				{from(2, identified(1, filtered("noput", watch("/a"))))},
				{from(2, identified(2, filtered("nodelete", watch("/a"))))},
				{put("/a", "2")},
				{remove("/a")},
				{progress()},
			},
		},
		{
			Name: "filters-history",
			Why:  "An unsynced watch whose events are all filtered out is synced in silence.",
			Steps: []Step{
				{put("/a", "1")},
				{from(2, filtered("noput", watch("/a"))), progress()},
				{progress()},
			},
		},
		{
			Name: "fragment",
			Why:  "Only a watch that asked for it has a response of more than max-request-bytes + 512 KiB (2 MiB by default) split, event by event.",
			Steps: []Step{
				{putLong("/a", 900<<10), putLong("/a", 900<<10), putLong("/a", 900<<10), put("/a", "1")},
				{from(2, watch("/a"))},
				{from(2, fragmented(watch("/a")))},
			},
		},
	}
}

func put(key, value string) Action            { return Action{Put: &Put{Key: key, Value: value}} }
func putLong(key string, size int) Action     { return Action{Put: &Put{Key: key, Size: size}} }
func remove(key string, end ...string) Action { r := keyRange(key, end); return Action{Delete: &r} }
func compact(rev int64) Action                { return Action{Compact: &Compact{rev}} }
func cancel(id int64) Action                  { return Action{Cancel: &Cancel{id}} }
func progress() Action                        { return Action{ProgressRequest: true} }

// watch creates a watch from now on; the functions below refine it.
func watch(key string, end ...string) Action {
	return Action{Create: &Create{Range: keyRange(key, end)}}
}

func keyRange(key string, end []string) Range {
	if len(end) == 0 {
		return Range{Key: key}
	}
	return Range{Key: key, End: end[0]}
}

func from(rev int64, a Action) Action {
	a.Create.StartRevision = rev
	return a
}

func identified(id int64, a Action) Action {
	a.Create.ID = id
	return a
}

func prevKV(a Action) Action {
	a.Create.PrevKV = true
	return a
}

func fragmented(a Action) Action {
	a.Create.Fragment = true
	return a
}

func filtered(filter string, a Action) Action {
	a.Create.Filters = append(a.Create.Filters, filter)
	return a
}
