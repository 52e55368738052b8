package linearizability

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/linearizability/possible"
	"github.com/watchbed/watchbed/model"
)

// Anomaly is what is wrong, in a word.
type Anomaly string

// The anomalies. Missing and Ghost are about a key of an answer, the others
// about revisions and flags.
const (
	// Missing: the answer lacks a write that it had to show.
	Missing Anomaly = "missing-write"
	// Ghost: the answer shows an item that was deleted or never written, or that the request
	// leaves out.
	Ghost Anomaly = "ghost"
	// Foreign: the answer shows a key outside the range that was asked for.
	Foreign Anomaly = "foreign-key"
	// Premature: the answer shows a write later than its own revision.
	Premature Anomaly = "premature-write"
	// Corrupt: the answer shows the right write with other contents.
	Corrupt Anomaly = "corrupt-item"
	// Miscounted: the items are right, but the count, the limit or "more" is
	// not.
	Miscounted Anomaly = "miscounted"
	// OldRevision: the revision is too old; the data is right, or the
	// right data is unknown.
	OldRevision Anomaly = "old-revision"
	// UnmadeRevision: the answer names a revision that no operation made, or
	// one from before the history.
	UnmadeRevision Anomaly = "unmade-revision"
	// TakenRevision: two writes made the same revision.
	TakenRevision Anomaly = "taken-revision"
	// SkippedRevision: between two writes there is a revision that no operation
	// made.
	SkippedRevision Anomaly = "skipped-revision"
	// Reordered: a write has a lower revision than what was over before it
	// began.
	Reordered Anomaly = "reordered-write"
	// WrongFlag: a write says of itself what cannot be: how much it deleted, or
	// which branch it took.
	WrongFlag Anomaly = "wrong-flag"
	// Contradicted: after a write as it was answered, the writes that ground
	// truth has next would have changed nothing.
	Contradicted Anomaly = "contradicts-ground-truth"
	// Torn: two pages of one list show different revisions.
	Torn Anomaly = "torn-pages"
	// Unexplained: no order of the operations fits, and what became of some
	// writes is not known well enough to say which answer is at fault. The
	// explanation names the first answer with which no order fits any more.
	Unexplained Anomaly = "unexplained"
)

// Explanation says why a history violates a property. Operations are indices
// into the history, -1 for none.
type Explanation struct {
	Property Property `json:"property"`
	Anomaly  Anomaly  `json:"anomaly"`
	// Operation is the one at fault.
	Operation int `json:"operation"`
	// Because is the operation that forces the one at fault to be at Bound or
	// later: it was over before, or it is an earlier one of the same client.
	Because int `json:"because"`
	// Revision is what the operation at fault says of itself, 0 if it does not.
	Revision int64 `json:"revision,omitempty"`
	// Bound is the lowest revision that would have been right.
	Bound int64 `json:"bound,omitempty"`
	// Key is where the answer differs, Got the item in it, Want the item that
	// should have been; nil is none. Of a Ghost, Want is there and the request leaves it out.
	Key  string      `json:"key,omitempty"`
	Got  *model.Item `json:"got,omitempty"`
	Want *model.Item `json:"want,omitempty"`
	// Write is the operation that made what should have been seen: the missing
	// item, the deletion of the ghost, or else Want. WriteRevision is its revision.
	Write         int   `json:"write"`
	WriteRevision int64 `json:"writeRevision,omitempty"`
	// Sentence is all of that in one sentence for people. It names operations by
	// their times in the history; Say names them otherwise.
	Sentence string `json:"sentence"`

	facts facts
}

// facts are what the sentence needs beside the fields of an Explanation.
type facts struct {
	// kind is what the witness stumbled over.
	kind faultKind
	// server answered the operation at fault, empty if the history names none.
	server string
	// flags are what the answer says beside its items; of a Miscounted one, what is wrong with them.
	flags string
	// newest is the highest revision that the history made.
	newest int64
	// outsider made WriteRevision if no operation did; empty if it was there
	// before the history.
	outsider string
	// made: Because made the revision Bound, and did not only see it.
	made bool
	// later is a write that was called after the operation at fault, and whose revision is the first
	// that fits that; -1 if there is none.
	later         int
	laterRevision int64
	// refused: the operation at fault was answered that it had no effect.
	refused bool
	// lost: what became of some write was not recorded.
	lost bool
	// unwritten: the key at fault was never set to the value that the answer shows.
	unwritten bool
	// left says in a clause why the request leaves out the Want of a Ghost.
	left string
	// maker is the operation that made the revision which a Ghost that was never written names as
	// its own, -1 if none did.
	maker int
	// dataRight: the data of the answer is certain to be right.
	dataRight bool
	// shows is the first later answer that shows what the one at fault lacks, so that no write
	// of which nothing is known has deleted it; -1 if there is none.
	shows int
}

func (e *Explanation) String() string { return e.Sentence }

// explainer is a witness that has found a fault.
type explainer struct {
	*Witness
	// common is what all completions have in common, if the fault is shared by all of them and they were looked at.
	common *possible.Timeline
	// previous are the writes of which operations have the previous values, see Recorded.
	previous map[int]int
}

func explain(w *explainer, prop Property, f fault) *Explanation {
	e := &Explanation{
		Property: prop, Operation: int(f.op), Because: -1, Write: -1,
		Revision: f.revision, Bound: f.bound,
	}
	if f.kind == nothing || f.op < 0 || w.isOpen() && !f.shared {
		e.Anomaly, e.Operation, e.Revision, e.Bound = Unexplained, -1, 0, 0
		e.Sentence = "no order of the operations fits their answers, whether or not the writes with unknown outcome took effect"
		return e
	}
	op := &w.history.Operations[f.op]
	switch f.kind {
	case revisionTaken:
		e.Anomaly = TakenRevision
		e.Write, e.WriteRevision = w.otherWriter(f.revision, f.op), f.revision
	case revisionMissing:
		e.Anomaly = SkippedRevision
		e.Bound, e.Revision = f.revision, w.at[f.op]
		if !op.Request.IsWrite() {
			e.Anomaly = UnmadeRevision
		}
	case contradicted:
		e.Anomaly = Contradicted
		e.Bound, e.Revision = f.revision, w.at[f.op]
	case torn:
		e.Anomaly, e.Because = Torn, int(f.other)
	case tooOld:
		e.Because = int(f.other)
		if op.Request.IsWrite() && w.roles[f.op] == writing {
			if e.Anomaly = Reordered; w.shownEarly(f) {
				e.Operation, e.Because, e.Revision, e.Bound = int(f.other), -1, 0, 0
				op = &w.history.Operations[f.other]
				e.differ(w, op, f.revision-1)
			}
			break
		}
		e.Anomaly = OldRevision
		if f.shared || w.knows(f.bound) {
			e.differ(w, op, f.bound)
		}
	case nowhere:
		e.Because = int(f.other)
		e.Revision = op.Result.Revision
		// No item was there before it was written.
		rev := f.bound
		for _, it := range op.Result.Items {
			if it.ModRevision <= w.last {
				rev = max(rev, it.ModRevision)
			}
		}
		e.differ(w, op, rev)
	case wrongAnswer:
		switch {
		case op.Request.IsWrite():
			e.Anomaly = WrongFlag
		case f.revision > w.last && !f.shared || f.revision < w.history.Initial.Revision:
			e.Anomaly = UnmadeRevision
		default:
			e.differ(w, op, f.revision)
		}
	}
	if of, is := w.previous[int(f.op)]; is {
		op = &w.history.Operations[of]
	}
	e.facts = e.factsOf(w, op, f.kind)
	if e.Operation == int(f.other) {
		e.facts.later, e.facts.laterRevision = int(f.op), f.revision
	}
	for _, i := range [...]*int{&e.Operation, &e.Because, &e.Write, &e.facts.maker, &e.facts.later, &e.facts.shows} {
		if of, is := w.previous[*i]; is {
			*i = of
		}
	}
	e.Sentence = e.Say(w.name)
	return e
}

// shownEarly reports whether an answer without a revision shows a write that was called only after it, so
// that the answer is at fault.
func (w *explainer) shownEarly(f fault) bool {
	if f.other < 0 {
		return false
	}
	op := &w.history.Operations[f.other]
	if op.Request.IsWrite() || op.Result.Revision != 0 {
		return false
	}
	first, ok := int64(0), false
	if f.shared {
		first, ok = w.common.First(op, f.revision-1)
	} else {
		first, ok = w.first(f.other, f.revision-1)
	}
	return ok && first >= f.revision
}

func (e *Explanation) factsOf(w *explainer, op *model.Operation, kind faultKind) facts {
	f := facts{kind: kind, server: op.Server, newest: w.last, dataRight: w.knows(e.Bound), shows: -1, maker: -1, later: -1}
	if e.Anomaly == Missing && e.Got == nil && w.common != nil {
		at := max(e.Revision, e.Bound)
		if f.shows = w.firstWith(e.Want, at); f.shows < 0 {
			f.shows = int(w.common.Shows(e.Want, op, at))
		}
	}
	if e.Got != nil && e.Got.ModRevision == 0 && !op.Request.KeysOnly {
		f.unwritten = !w.history.Partial && !w.wrote(e.Key, e.Got.Value)
	}
	switch {
	case e.Anomaly != Ghost || e.WriteRevision > 0 && e.Want == nil:
	case e.Want == nil:
		f.maker = w.writer(e.Got.ModRevision)
	case len(op.Request.Selection.Of([]*model.Item{e.Want})) == 0:
		f.left = ", which it does not select"
	case op.Request.Limit > 0:
		f.left = fmt.Sprintf(", which is beyond its limit of %d", op.Request.Limit)
	default:
		f.left = ", which it shows twice"
	}
	switch e.Anomaly {
	case WrongFlag:
		f.flags = flags(op.Result)
	case Miscounted:
		f.flags = `its count or its "more" is not`
		if sorted := byKey(op.Result.Items); !slices.Equal(sorted, op.Result.Items) && !slices.Equal(op.Request.Selection.Of(sorted), op.Result.Items) {
			f.flags = "their order is not"
		}
	}
	if e.Write < 0 && e.WriteRevision > w.history.Initial.Revision {
		f.outsider = w.outsider()
	}
	if e.Because >= 0 {
		f.made = w.history.Operations[e.Because].Request.IsWrite() && w.roles[e.Because] == writing
	}
	return f
}

// LosesWrites reports whether it is not known what became of some write.
func LosesWrites(h *model.History) bool {
	return slices.ContainsFunc(h.Operations, func(op model.Operation) bool {
		return op.Outcome == model.Unknown && op.Request.IsWrite() && !items.IsExpiry(h, &op)
	})
}

// wrote reports whether a write may have set a key to a value, or it had that at the beginning.
func (w *Witness) wrote(key, value string) bool {
	sets := func(r *model.Request) bool {
		return r.Kind == model.Put && r.Key == key && (r.Value == value || r.IgnoreValue)
	}
	return slices.ContainsFunc(w.history.Initial.Items, func(it *model.Item) bool { return it.Key == key && it.Value == value }) ||
		slices.ContainsFunc(w.history.Operations, func(op model.Operation) bool { return items.Any(op.Request, sets) })
}

// knows reports whether what the store was at a revision is certain.
func (w *Witness) knows(rev int64) bool { return !w.isOpen() && rev <= w.last }

// differ finds the first key at which the answer is not the store at the
// revision.
func (e *Explanation) differ(w *explainer, op *model.Operation, rev int64) {
	if op.Request.IsWrite() {
		e.Anomaly = WrongFlag
		return
	}
	w.look(op.Request, rev)
	have := w.timeline.window.Between(op.Request.Key, items.RangeEnd(op.Request), &w.scratch)
	if w.common != nil {
		have = w.common.Nearest(op, rev)
	}
	all := have
	have = op.Request.Selection.Of(have)
	op.Request.Selection.Align(have, op.Result.Items)
	if l := op.Request.Limit; l > 0 && int64(len(have)) > l {
		have = have[:l]
	}
	shown := op.Result.Items
	if op.Request.CountOnly {
		have, shown = nil, nil
	}
	have, shown = byKey(have), byKey(shown)
	for i := 0; i < len(have) || i < len(shown); i++ {
		switch {
		case i == len(shown) || i < len(have) && have[i].Key < shown[i].Key:
			e.Anomaly, e.Key, e.Want = Missing, have[i].Key, copyOf(have[i])
			e.Write, e.WriteRevision = w.writer(have[i].ModRevision), have[i].ModRevision
		case i == len(have) || shown[i].Key < have[i].Key:
			e.ghost(w, op.Request, shown[i], all, rev)
		case !items.Shows(shown[i], have[i], op.Request.KeysOnly):
			e.Key, e.Got, e.Want = have[i].Key, copyOf(shown[i]), copyOf(have[i])
			e.Write, e.WriteRevision = w.writer(have[i].ModRevision), have[i].ModRevision
			switch {
			case shown[i].ModRevision == 0 && shown[i].Value == have[i].Value:
				e.Anomaly = Corrupt
			case shown[i].ModRevision < have[i].ModRevision:
				e.Anomaly = Missing
			case shown[i].ModRevision > have[i].ModRevision:
				e.Anomaly = Premature
			default:
				e.Anomaly = Corrupt
			}
		default:
			continue
		}
		return
	}
	if e.Anomaly == "" || w.common == nil && !w.timeline.window.Answers(op.Request, op.Result, &w.scratch) {
		e.Anomaly = Miscounted
	}
}

// byKey are items in the order of their keys, which a request may have had sorted otherwise.
func byKey(all []*model.Item) []*model.Item {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *model.Item) int { return strings.Compare(a.Key, b.Key) })
}

// ghost: an answer shows an item that it should not, and the store has these in the range at the
// revision.
func (e *Explanation) ghost(w *explainer, r *model.Request, shown *model.Item, all []*model.Item, rev int64) {
	e.Anomaly, e.Key, e.Got = Ghost, shown.Key, copyOf(shown)
	if !model.InRange(e.Key, r.Key, items.RangeEnd(r)) {
		e.Anomaly = Foreign
		return
	}
	if shown.ModRevision > rev {
		e.Anomaly = Premature
	}
	if i := slices.IndexFunc(all, func(it *model.Item) bool { return it.Key == e.Key }); i >= 0 {
		e.Want = copyOf(all[i])
		e.Write, e.WriteRevision = w.writer(e.Want.ModRevision), e.Want.ModRevision
		return
	}
	if e.Write, e.WriteRevision = w.deleter(e.Key, rev); e.WriteRevision > 0 || w.common != nil || shown.ModRevision > 0 {
		return
	}
	for _, run := range w.timeline.runsOf(e.Key) {
		e.Anomaly, e.WriteRevision = Premature, w.timeline.changes[run.from].revision
	}
}

// copyOf keeps an item beyond the witness's memory, which is used again.
func copyOf(it *model.Item) *model.Item {
	c := *it
	return &c
}

// writer is the operation that made a revision, -1 if none of the history did.
func (w *Witness) writer(rev int64) int { return w.otherWriter(rev, -1) }

func (w *Witness) otherWriter(rev int64, than int32) int {
	for _, ref := range w.writes {
		if ref.revision == rev && ref.index != than {
			return int(ref.index)
		}
	}
	return -1
}

// firstWith is the answer of the lowest revision from one on that shows an item, -1 if there is
// none.
func (w *Witness) firstWith(want *model.Item, from int64) int {
	for _, ref := range w.points[searchWrites(w.points, from):] {
		if slices.ContainsFunc(w.history.Operations[ref.index].Result.Items, func(it *model.Item) bool {
			return it.Key == want.Key && it.ModRevision == want.ModRevision
		}) {
			return int(ref.index)
		}
	}
	return -1
}

// deleter finds the operation that had deleted a key that is gone at a revision.
func (w *explainer) deleter(key string, rev int64) (op int, at int64) {
	if w.common != nil {
		at = w.common.Gone(key, rev)
		return w.writer(at), at
	}
	runs := w.timeline.runsOf(key)
	if len(runs) == 0 {
		return -1, 0
	}
	i := w.timeline.at(runs[0], rev)
	if i < runs[0].from || w.timeline.changes[i].item != nil {
		return -1, 0
	}
	at = w.timeline.changes[i].revision
	return w.writer(at), at
}

// Say is the explanation in one sentence: what the operation at fault was
// answered, why that cannot be, and which write would have made it right. Name
// words an operation of the history by its index.
func (e *Explanation) Say(name func(op int) string) string {
	if e.Operation < 0 {
		return e.Sentence
	}
	said := name(e.Operation)
	if e.facts.server != "" {
		said += " by " + e.facts.server
	}
	return said + e.claim(name)
}

// claim says what the operation at fault says of itself, and why that cannot be.
func (e *Explanation) claim(name func(op int) string) string {
	switch reason := e.reason(name); e.Anomaly {
	case TakenRevision:
		if e.Write < 0 {
			return fmt.Sprintf(" says it made revision %d, which was there before the history", e.Revision)
		}
		return fmt.Sprintf(" says it made revision %d, but so does %s", e.Revision, name(e.Write))
	case SkippedRevision:
		return fmt.Sprintf(" made revision %d, but no operation made revision %d", e.Revision, e.Bound)
	case Contradicted:
		return fmt.Sprintf(" made revision %d, but after that the write of revision %d in the server's log would have changed nothing", e.Revision, e.Bound)
	case Reordered:
		return fmt.Sprintf(" made revision %d, but %s", e.Revision, reason)
	case Torn:
		return fmt.Sprintf(" is of revision %d, but the page before it, %s, is of revision %d", e.Revision, name(e.Because), e.Bound)
	case UnmadeRevision:
		return fmt.Sprintf(" is of revision %d, which no operation of the history made; the newest is %d", e.Revision, e.facts.newest)
	case Unexplained:
		return e.unexplained(name)
	case WrongFlag:
		said := fmt.Sprintf(" has the answer %s, which the store", e.facts.flags)
		if e.Revision > 0 {
			said += fmt.Sprintf(" at revision %d", e.Revision)
		}
		said += " cannot have given"
		if e.Because >= 0 {
			said += "; " + reason
		}
		return said
	default:
		said := " fits no revision that it may show"
		if e.Revision > 0 {
			said = fmt.Sprintf(" is of revision %d", e.Revision)
		}
		if reason != "" && e.facts.kind != wrongAnswer {
			said += ", but " + reason
		}
		said += e.difference(name)
		if e.facts.later >= 0 {
			said += fmt.Sprintf("; %s, which made revision %d, had not been called yet", name(e.facts.later), e.facts.laterRevision)
		}
		return said
	}
}

func (e *Explanation) unexplained(name func(op int) string) string {
	said := " has an answer that"
	switch {
	case e.facts.refused:
		said = " is refused, which"
	case e.Revision > 0:
		said = fmt.Sprintf(" is of revision %d, which", e.Revision)
	}
	said += " is the first answer with which no order of the operations fits"
	if e.facts.lost {
		said += ", whether or not the writes with unknown outcome took effect"
	}
	if e.Because >= 0 {
		said += fmt.Sprintf("; %s shows its effect", name(e.Because))
	}
	if e.Write >= 0 {
		said += fmt.Sprintf("; it shows key %q as %q, as %s would have made it, which was refused", e.Key, e.Got.Value, name(e.Write))
	}
	return said
}

// reason says why the operation has to be at the bound or later.
func (e *Explanation) reason(name func(op int) string) string {
	switch {
	case e.Property == NotOlderThan && e.Because < 0:
		return fmt.Sprintf("it asked for revision %d or later", e.Bound)
	case e.Property == Exact && e.Because < 0:
		return fmt.Sprintf("it asked for revision %d", e.Bound)
	case e.Because < 0:
		return ""
	}
	verb := "had seen"
	if e.facts.made {
		verb = "had made"
	}
	return fmt.Sprintf("%s %s revision %d before", name(e.Because), verb, e.Bound)
}

// outsider names the origin of a revision that no answer names.
func (w *Witness) outsider() string {
	if LosesWrites(w.history) {
		return "a write that was not answered"
	}
	return "a client outside the history"
}

// difference says what is wrong with the data.
func (e *Explanation) difference(name func(op int) string) string {
	source := ""
	switch {
	case e.Write >= 0:
		source = " by " + name(e.Write)
	case e.facts.outsider != "":
		source = " by " + e.facts.outsider
	}
	if e.facts.unwritten {
		return fmt.Sprintf("; it shows key %q as %q, and no write set it to that", e.Key, e.Got.Value)
	}
	switch e.Anomaly {
	case Missing:
		what := "is not in it"
		switch {
		case e.Got != nil && e.Got.Value == "" && e.Want.Value == "":
			// The history may have no values.
			return fmt.Sprintf("; key %q is%s in it, but was written at revision %d%s", e.Key, ofRevision(e.Got), e.WriteRevision, source)
		case e.Got != nil:
			what = fmt.Sprintf("is %q%s in it", e.Got.Value, ofRevision(e.Got))
		}
		said := fmt.Sprintf("; key %q %s, but was set to %q at revision %d%s", e.Key, what, e.Want.Value, e.WriteRevision, source)
		if e.facts.shows >= 0 {
			said += fmt.Sprintf(", and %s still shows it", name(e.facts.shows))
		}
		return said
	case Ghost:
		shown := fmt.Sprintf("; it shows key %q as %q%s", e.Key, e.Got.Value, ofRevision(e.Got))
		switch {
		case e.Want == nil && e.WriteRevision > 0:
			return fmt.Sprintf("%s, which was deleted at revision %d%s", shown, e.WriteRevision, source)
		case e.facts.maker >= 0:
			return fmt.Sprintf("%s, but revision %d was made by %s, which did not write it", shown, e.Got.ModRevision, name(e.facts.maker))
		case e.Want == nil:
			return shown + ", which was never written"
		case items.Shows(e.Got, e.Want, false):
			return shown + e.facts.left
		case e.Got.ModRevision == e.Want.ModRevision:
			return e.corrupt(source) + e.facts.left
		}
		return fmt.Sprintf("%s, but was set to %q at revision %d%s%s", shown, e.Want.Value, e.WriteRevision, source, e.facts.left)
	case Foreign:
		return fmt.Sprintf("; it shows key %q, which is not in the range that it asked for", e.Key)
	case Premature:
		rev := cmp.Or(e.Got.ModRevision, e.WriteRevision)
		if rev > e.facts.newest {
			return fmt.Sprintf("; it shows key %q as of revision %d, and the newest of the history is %d", e.Key, rev, e.facts.newest)
		}
		return fmt.Sprintf("; it shows key %q as of revision %d, which is newer than the answer", e.Key, rev)
	case Corrupt:
		return e.corrupt(source)
	case Miscounted:
		return "; its items are right, " + e.facts.flags
	}
	if !e.facts.dataRight {
		return ""
	}
	return "; its data is right all the same"
}

// corrupt says what differs of an item.
func (e *Explanation) corrupt(source string) string {
	return fmt.Sprintf("; it shows key %q as %s, but the write of revision %d%s left %s",
		e.Key, describe(e.Got), e.WriteRevision, source, describe(e.Want))
}

// ofRevision says at which revision an item was written, if it says so itself.
func ofRevision(it *model.Item) string {
	if it.ModRevision == 0 {
		return ""
	}
	return fmt.Sprintf(" of revision %d", it.ModRevision)
}

// describe is an item with what it says of itself.
func describe(it *model.Item) string {
	known := ""
	for _, x := range [...]struct {
		name  string
		value int64
	}{{"create", it.CreateRevision}, {"mod", it.ModRevision}, {"version", it.Version}, {"lease", it.Lease}} {
		if x.value != 0 {
			known += fmt.Sprintf(", %s %d", x.name, x.value)
		}
	}
	if known == "" {
		return fmt.Sprintf("%q", it.Value)
	}
	return fmt.Sprintf("%q (%s)", it.Value, known[2:])
}

func flags(res *model.Result) string {
	if res == nil {
		return "nothing"
	}
	said := fmt.Sprintf("revision %d, deleted %d, succeeded %t", res.Revision, res.Deleted, res.Succeeded)
	for _, it := range res.Prev {
		said += fmt.Sprintf(", previous %q as %s", it.Key, describe(it))
	}
	return said
}

// name is how a sentence calls an operation.
func (w *Witness) name(i int) string {
	op := &w.history.Operations[i]
	if items.IsExpiry(w.history, op) {
		return fmt.Sprintf("the expiry of lease %d", op.Request.Lease)
	}
	if op.Call == beforeAll {
		// It was added to complete a partial history.
		return "a write that is not recorded"
	}
	client := fmt.Sprint(op.Client)
	if op.Client < len(w.history.Clients) {
		client = w.history.Clients[op.Client]
	}
	what := op.Request.Kind.String()
	if op.Request.Key != "" {
		what += fmt.Sprintf(" of %q", op.Request.Key)
	}
	switch op.Request.Kind {
	case model.LeaseGrant:
		what = fmt.Sprintf("grant of lease %d", op.Request.Lease)
	case model.LeaseRevoke:
		what = fmt.Sprintf("revocation of lease %d", op.Request.Lease)
	}
	if op.Outcome == model.Unknown {
		return fmt.Sprintf("the %s by %s (called at %d, never answered)", what, client, op.Call)
	}
	return fmt.Sprintf("the %s by %s (called at %d, answered at %d)", what, client, op.Call, op.Return)
}
