package main

// lesson is what upstream's suite would have to do to find a bug that its table has as not reproducible.
type lesson struct {
	// bug is the name of the row.
	bug  string
	text string
	// test is a plain Go test of ../yardstick/unreached that passes with the code that ships, and fails with the bug;
	// empty if there is none.
	test string
}

// lessons are in the order of upstream's table.
var lessons = []lesson{
	{"43152, 77619", "An update function and a validation of a deletion that fail by themselves, on what an object says, in one of some calls. The suite's functions fail never, so " +
		"that it does not matter on which state they are called. Its model has to call them as well: an error is right if the state at that revision calls for it.", ""},
	{"49745", "A watch that joins while a deletion is in the cacher's state and not dispatched yet, at resourceVersion \"0\". That takes a dispatcher which is held up, as by a client that reads " +
		"nothing: its clients of that kind are 15 of 100, and their events are not checked, but those of their neighbours are. The suite's watches at \"0\" have to begin in the 100 ms " +
		"that the dispatcher waits, and the check must take an event for wrong that deletes what the watch was never sent.", "TestWatchSkipsWhatItsStateHas"},
	{"94002", "Lists in pages, with a limit and a selector that few objects match, so that the store asks etcd several times for one page; and a write between two of these. The model has to " +
		"hold a page to one state: that of the resourceVersion which its first page says. With four objects the store is done after one range: it takes some ten.", "TestPageIsOfOneRevision"},
	{"116172", "A cacher that begins anew while clients watch. In the suite none does: that takes a compaction behind a broken watch of etcd, or a watch that is answered with 410. A watch with initial " +
		"events and without a resourceVersion must be under way at that moment, and what it is sent has to be complete up to a revision that comes from elsewhere, such as a LIST: that a quiet watch is a " +
		"right one is what hides it.", "TestWatchDoesNotJoinACacherThatBeginsAnew"},
	{"123674", "GETs at a resourceVersion that is newer than the newest event of the resource. Writes of another resource make such revisions, and the suite has one resource, so " +
		"that the next write of its own ends the waiting. And a limit on the time: the answer is an error after three seconds, which the model allows.", "TestGetAsksForProgress"},
	{"123676", "No answer is wrong with it: a consistent one is right at \"0\" as well. What tells is the cost, or a deadline: the suite has to count requests to etcd for each kind of read, or cut the cacher off " +
		"from etcd and see that reads at \"0\" are answered.", "TestListAtZeroAsksEtcdNothing"},
	{"125244", "Watches that wait for a bookmark, and a first list of the cacher that takes more than a second: then the dispatcher's first bookmark is due before it has dispatched an event. " +
		"An event and such a watch have to come within the 10 ms in which the dispatcher looks whether there is a list. The suite's cachers list an etcd that is quick and empty, so that the first " +
		"bookmark is a second away. The plain test has the clock of the cacher, and what its own watch is sent; it tries again where the 10 ms were over.", "TestBookmarkDoesNotOvertakeItsEvent"},
}
