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
	// Foreign: the answer shows a key outside the range of the request.
	Foreign Anomaly = "foreign-key"
	// Premature: the answer shows a write later than its own revision, or a write called after it.
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

	// format and args are the sentence of package fmt, in which an operation and by stand for names.
	format string
	args   []any
}

// operation is one of the history, by its index, where a sentence names it; by is the same as the source of a write.
type (
	operation int
	by        int
)

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
		e.say("no order of the operations fits their answers, whether or not the writes with unknown outcome took effect")
		e.Sentence = e.format
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
	case early:
		e.Anomaly, e.Bound = Premature, 0
		e.Write, e.WriteRevision = int(f.other), f.bound
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
	e.tell(w, op, f)
	for _, i := range [...]*int{&e.Operation, &e.Because, &e.Write} {
		*i = w.recorded(*i)
	}
	e.Sentence = e.Say(w.name)
	return e
}

// recorded is an operation as it was recorded: that of which another one has the previous values.
func (w *explainer) recorded(i int) int {
	if of, is := w.previous[i]; is {
		return of
	}
	return i
}

// named stands for the name of an operation in a sentence.
func (w *explainer) named(i int) operation { return operation(w.recorded(i)) }

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

// knows reports whether the contents of the store at a revision are certain.
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
	args := slices.Clone(e.args)
	for i := range args {
		switch arg := args[i].(type) {
		case operation:
			args[i] = name(int(arg))
		case by:
			args[i] = " by " + name(int(arg))
		}
	}
	return fmt.Sprintf(e.format, args...)
}

// say adds a clause to the sentence.
func (e *Explanation) say(format string, args ...any) {
	e.format += format
	e.args = append(e.args, args...)
}

// begin names an operation at fault and the server that answered it.
func (e *Explanation) begin(name operation, server string) {
	e.say("%s", name)
	if server != "" {
		e.say(" by %s", server)
	}
}

// tell says what the operation at fault says of itself, and why that cannot be.
func (e *Explanation) tell(w *explainer, op *model.Operation, f fault) {
	e.begin(w.named(e.Operation), op.Server)
	switch e.Anomaly {
	case TakenRevision:
		e.say(" says it made revision %d", e.Revision)
		if e.Write < 0 {
			e.say(", which was there before the history")
		} else {
			e.say(", but so does %s", w.named(e.Write))
		}
	case SkippedRevision:
		e.say(" made revision %d, but no operation made revision %d", e.Revision, e.Bound)
	case Contradicted:
		e.say(" made revision %d, but after that the write of revision %d in the server's log would have changed nothing", e.Revision, e.Bound)
	case Reordered:
		e.say(" made revision %d", e.Revision)
		e.reason(w, ", but ")
	case Torn:
		e.say(" is of revision %d, but the page before it, %s, is of revision %d", e.Revision, w.named(e.Because), e.Bound)
	case UnmadeRevision:
		e.say(" is of revision %d, which no operation of the history made; the newest is %d", e.Revision, w.last)
	case WrongFlag:
		e.say(" has the answer %s, which the store", flags(op))
		if e.Revision > 0 {
			e.say(" at revision %d", e.Revision)
		}
		e.say(" cannot have given")
		if e.Because >= 0 {
			e.reason(w, "; ")
		}
	default:
		if e.Revision > 0 {
			e.say(" is of revision %d", e.Revision)
		} else {
			e.say(" fits no revision that it may show")
		}
		switch {
		case f.kind == early:
			e.say(", but %s, which made revision %d, had not been called yet", w.named(e.Write), e.WriteRevision)
			return
		case f.kind != wrongAnswer && (e.Revision == 0 || e.Revision < e.Bound):
			e.reason(w, ", but ")
		}
		e.difference(w, op)
		if e.Operation == int(f.other) {
			e.say("; %s, which made revision %d, had not been called yet", w.named(int(f.op)), f.revision)
		}
	}
}

// reason says why the operation has to be at the bound or later, if there is a reason.
func (e *Explanation) reason(w *explainer, before string) {
	switch {
	case e.Property == NotOlderThan && e.Because < 0:
		e.say(before+"it asked for revision %d or later", e.Bound)
	case e.Property == Exact && e.Because < 0:
		e.say(before+"it asked for revision %d", e.Bound)
	case e.Because < 0:
	case w.roles[e.Because] == writing && w.history.Operations[e.Because].Request.IsWrite():
		e.say(before+"%s had made revision %d before", w.named(e.Because), e.Bound)
	default:
		e.say(before+"%s had seen revision %d before", w.named(e.Because), e.Bound)
	}
}

// source is the origin of WriteRevision in a sentence, empty if it was there before the history.
func (e *Explanation) source(w *explainer) any {
	switch {
	case e.Write >= 0:
		return by(w.recorded(e.Write))
	case e.WriteRevision <= w.history.Initial.Revision:
		return ""
	case LosesWrites(w.history):
		return " by a write that was not answered"
	}
	return " by a client outside the history"
}

// difference says what is wrong with the data.
func (e *Explanation) difference(w *explainer, op *model.Operation) {
	if e.Got != nil && e.Got.ModRevision == 0 && !op.Request.KeysOnly && !w.history.Partial && !w.wrote(e.Key, e.Got.Value) {
		e.say("; it shows key %q as %q, and no write set it to that", e.Key, e.Got.Value)
		return
	}
	switch source := e.source(w); e.Anomaly {
	case Missing:
		e.missing(w, op, source)
	case Ghost:
		e.seen(w, op, source)
	case Foreign:
		e.say("; it shows key %q, which is not in the range that it asked for", e.Key)
	case Premature:
		rev := cmp.Or(e.Got.ModRevision, e.WriteRevision)
		e.say("; it shows key %q as of revision %d, ", e.Key, rev)
		if rev > w.last {
			e.say("and the newest of the history is %d", w.last)
		} else {
			e.say("which is newer than the answer")
		}
	case Corrupt:
		e.corrupt(source)
	case Miscounted:
		wrong := `its count or its "more" is not`
		if sorted := byKey(op.Result.Items); !slices.Equal(sorted, op.Result.Items) && !slices.Equal(op.Request.Selection.Of(sorted), op.Result.Items) {
			wrong = "their order is not"
		}
		e.say("; its items are right, %s", wrong)
	default:
		if w.knows(e.Bound) {
			e.say("; its data is right all the same")
		}
	}
}

// missing says what an answer lacks. A later answer that still shows it says that no write of which nothing is known
// has deleted it.
func (e *Explanation) missing(w *explainer, op *model.Operation, source any) {
	switch {
	case e.Got != nil && e.Got.Value == "" && e.Want.Value == "":
		e.say("; key %q is%s in it", e.Key, ofRevision(e.Got))
	case e.Got != nil:
		e.say("; key %q is %q%s in it", e.Key, e.Got.Value, ofRevision(e.Got))
	default:
		e.say("; key %q is not in it", e.Key)
	}
	if e.Want.Value == "" {
		// The history may have no values.
		e.say(", but was written at revision %d%s", e.WriteRevision, source)
	} else {
		e.say(", but was set to %q at revision %d%s", e.Want.Value, e.WriteRevision, source)
	}
	if e.Got != nil || w.common == nil {
		return
	}
	at := max(e.Revision, e.Bound)
	shows := w.firstWith(e.Want, at)
	if shows < 0 {
		shows = int(w.common.Shows(e.Want, op, at))
	}
	if shows >= 0 {
		e.say(", and %s still shows it", w.named(shows))
	}
}

// seen says why an answer should not show an item. If the item is there, the request leaves it out.
func (e *Explanation) seen(w *explainer, op *model.Operation, source any) {
	if e.Want != nil && e.Got.ModRevision == e.Want.ModRevision && !items.Shows(e.Got, e.Want, false) {
		e.corrupt(source)
	} else {
		e.say("; it shows key %q as %q%s", e.Key, e.Got.Value, ofRevision(e.Got))
		switch maker := w.writer(e.Got.ModRevision); {
		case e.Want == nil && e.WriteRevision > 0:
			e.say(", which was deleted at revision %d%s", e.WriteRevision, source)
		case e.Want == nil && maker >= 0:
			e.say(", but revision %d was made by %s, which did not write it", e.Got.ModRevision, w.named(maker))
		case e.Want == nil:
			e.say(", which was never written")
		case !items.Shows(e.Got, e.Want, false):
			e.say(", but was set to %q at revision %d%s", e.Want.Value, e.WriteRevision, source)
		}
	}
	switch {
	case e.Want == nil:
	case len(op.Request.Selection.Of([]*model.Item{e.Want})) == 0:
		e.say(", which it does not select")
	case op.Request.Limit > 0:
		e.say(", which is beyond its limit of %d", op.Request.Limit)
	default:
		e.say(", which it shows twice")
	}
}

// corrupt says what differs of an item.
func (e *Explanation) corrupt(source any) {
	e.say("; it shows key %q as %s, but the write of revision %d%s left %s", e.Key, describe(e.Got), e.WriteRevision, source, describe(e.Want))
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

// flags are the fields of an answer that its kind of operation has.
func flags(op *model.Operation) string {
	res := op.Result
	if res == nil {
		return "nothing"
	}
	said := fmt.Sprintf("revision %d", res.Revision)
	if op.Request.Kind != model.Put {
		said += fmt.Sprintf(", deleted %d, succeeded %t", res.Deleted, res.Succeeded)
	}
	if op.Request.PrevKV && len(res.Prev) == 0 {
		said += ", no previous value, for which it asked"
	}
	for _, it := range res.Prev {
		said += fmt.Sprintf(", previous %q as %s", it.Key, describe(it))
	}
	for i, part := range res.Results {
		if n := len(part.Items); n > 0 || part.Count > 0 || part.More {
			said += fmt.Sprintf(", request %d of it showing %d of %d items", i+1, n, max(part.Count, int64(n)))
			if part.More {
				said += " and that there are more"
			}
		}
	}
	return said
}

// name is how a sentence calls an operation.
func (w *Witness) name(i int) string {
	return Name(w.history, i, func(tick int64) string { return fmt.Sprint(tick) })
}

// Name is how a sentence calls an operation of a history, with its times in the words of at.
func Name(h *model.History, i int, at func(tick int64) string) string {
	op := &h.Operations[i]
	if items.IsExpiry(h, op) {
		return fmt.Sprintf("the expiry of lease %d", op.Request.Lease)
	}
	if op.Call == beforeAll {
		// It was added to complete a partial history.
		return "a write that is not recorded"
	}
	client := fmt.Sprint(op.Client)
	if op.Client < len(h.Clients) {
		client = h.Clients[op.Client]
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
		return fmt.Sprintf("the %s by %s (called at %s, never answered)", what, client, at(op.Call))
	}
	return fmt.Sprintf("the %s by %s (called at %s, answered at %s)", what, client, at(op.Call), at(op.Return))
}
