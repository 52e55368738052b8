package model

// WatchPosition is what the verdicts on later responses of a stream depend on, beside its
// request, ground truth, and which changes came. That is so for each guarantee that the
// stream does not violate so far: then its last event has the newest revision that came,
// and only the rest of a response in fragments is missing.
type WatchPosition struct {
	// Start is the revision of the first event to be sent, 0 while it is not known. A
	// negative one is that of a request which etcd has not answered.
	Start int64
	// Whole is the revision with which the newest response with events ended: none of its
	// events may come any more. 0 if a fragment came, which the next response goes on.
	Whole int64
	// Marked is the newest bookmark, 0 if there is none.
	Marked int64
}

// Position is where the stream is after its responses.
func (ws *WatchStream) Position() WatchPosition {
	p := atStart(&ws.Request)
	for i := range ws.Responses {
		r := &ws.Responses[i]
		p.begin(r)
		p.ends(r)
	}
	return p
}

func atStart(r *WatchRequest) WatchPosition {
	return WatchPosition{Start: r.StartRevision}
}

// begun reports whether Start is known.
func (p *WatchPosition) begun() bool { return p.Start > 0 }

// begin is the position in which the events of a response are judged.
func (p *WatchPosition) begin(r *WatchResponse) {
	if r.Created && !p.begun() {
		p.Start = r.Revision + 1
	}
}

// ends is the position behind a response.
func (p *WatchPosition) ends(r *WatchResponse) {
	if r.Progress {
		p.Marked = max(p.Marked, r.Revision)
	}
	if n := len(r.Events); n > 0 {
		p.Whole = r.Events[n-1].Revision
	}
	if r.Fragment {
		p.Whole = 0
	}
}

// Covered is the revision up to which a watcher knows everything after all its streams, 0
// if etcd said that history is gone: a later stream must not leave out what follows.
func Covered(streams []WatchStream) int64 {
	covered := int64(0)
	for i := range streams {
		covered = streams[i].Covers(covered)
	}
	return covered
}

// Covers is the revision up to which a watcher knows everything after a stream, by that before it.
func (ws *WatchStream) Covers(before int64) int64 { return ws.coveredAfter(ws.coveredBefore(before)) }

func (ws *WatchStream) coveredBefore(covered int64) int64 {
	if ws.Listed {
		return ws.Request.StartRevision - 1
	}
	return covered
}

func (ws *WatchStream) coveredAfter(covered int64) int64 {
	for i := range ws.Responses {
		r := &ws.Responses[i]
		for k := range r.Events {
			covered = max(covered, r.Events[k].Revision)
		}
		if r.CompactRevision > 0 {
			covered = 0
		}
	}
	return covered
}
