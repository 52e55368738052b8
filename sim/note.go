package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// NoteKind is a kind of note: a sentence with gaps.
type NoteKind struct {
	name, sentence string
	// measured: World.Follow is about them; untold: about nothing else.
	setback, aside, measured, untold bool
	// revision and key are the numbers of the gaps with what the note is about, counted from 1; 0 is none.
	revision, key int
}

// NoteTone is how a story takes notes of a kind.
type NoteTone uint8

const (
	// IsSetback: they are a Setback.
	IsSetback NoteTone = 1 + iota
	// IsAside: they are an Aside.
	IsAside
	// IsMeasured: an observer that measures is given them (World.Follow).
	IsMeasured
	// IsUntold: no other observer is given them.
	IsUntold
)

// NewNote makes a kind of note; call it in package variable declarations only. The name is PACKAGE.VARIABLE, and
// several kinds may have one. The sentence is a format of package fmt with more verbs: %r is %d of the revision that
// the note is about, and %k is %s of the key. %R and %K are what the note is about without saying it.
func NewNote(name, format string, tone ...NoteTone) *NoteKind {
	k := newKind(name, format, tone)
	return &k
}

func newKind(name, format string, tone []NoteTone) NoteKind {
	k := NoteKind{name: name, setback: slices.Contains(tone, IsSetback), aside: slices.Contains(tone, IsAside), measured: slices.Contains(tone, IsMeasured), untold: slices.Contains(tone, IsUntold)}
	var text strings.Builder
	for i, gap := 0, 0; i < len(format); i++ {
		if format[i] != '%' {
			text.WriteByte(format[i])
			continue
		}
		i, gap = i+1, gap+1
		if format[i] == '[' {
			gap = int(format[i+1] - '0')
			i += len("[1]")
		}
		verb := format[i]
		switch verb {
		case 'r', 'R':
			k.revision, verb = gap, verb-'r'+'d'
		case 'k', 'K':
			k.key, verb = gap, verb-'k'+'s'
		}
		if verb >= 'a' {
			fmt.Fprintf(&text, "%%[%d]%c", gap, verb)
		}
	}
	k.sentence = text.String()
	return k
}

// Of is a note with these values in its gaps. A node stands for its name, and a payload for its label. The note is
// about what its gaps are about that are a Subject themselves, too.
func (k *NoteKind) Of(gaps ...any) Said {
	n := Said{kind: k, gaps: gaps}
	for i, gap := range gaps {
		switch x := gap.(type) {
		case Subject:
			about := x.About()
			n.about = About{cmp.Or(about.Revision, n.about.Revision), cmp.Or(about.Key, n.about.Key), cmp.Or(about.Client, n.about.Client)}
		case int64:
			if i+1 == k.revision {
				n.about.Revision = x
			}
		case string:
			if i+1 == k.key {
				n.about.Key = x
			}
		}
	}
	return n
}

// Heard reports whether there is an observer of notes of this kind.
func (k *NoteKind) Heard(e *Env) bool {
	return e.w.observer != nil && !k.untold || e.w.follower != nil && k.measured
}

func (k *NoteKind) tell(e *Env, n Said) {
	event := Event{Kind: Noted, Node: e.node, Note: n}
	if k.untold {
		e.w.follower.Observe(e.w, &event)
	} else {
		e.w.tell(event)
	}
}

// Said is a note of such a kind.
type Said struct {
	kind  *NoteKind
	gaps  []any
	about About
}

func (n Said) Text(w *World) string {
	if !strings.Contains(n.kind.sentence, "%") {
		return n.kind.sentence
	}
	gaps := make([]any, len(n.gaps))
	for i, x := range n.gaps {
		switch x := x.(type) {
		case NodeID:
			gaps[i] = w.NodeName(x)
		case Payload:
			gaps[i] = x.Label()
		default:
			gaps[i] = x
		}
	}
	text := fmt.Sprintf(n.kind.sentence, gaps...)
	if strings.Contains(text, "%!") {
		panic("sim: gaps of " + n.kind.name + " are filled wrong: " + text)
	}
	return text
}

// Gap is the value in its i-th gap, counted from 0.
func (n Said) Gap(i int) any { return n.gaps[i] }

func (n Said) About() About   { return n.about }
func (n Said) SetsBack() bool { return n.kind.setback }
func (n Said) IsAside() bool  { return n.kind.aside }

// NoteName is the kind of a note: that of its NoteKind, or its Go type.
func NoteName(n Note) string {
	if s, ok := n.(Said); ok {
		return s.kind.name
	}
	return fmt.Sprintf("%T", n)
}

// Note0 is a NoteKind without gaps, Note1 to Note4 have so many. To say one costs nothing while no run is observed: the
// gaps have types, so that the caller makes no interface of a value.
type Note0 struct{ NoteKind }

// NewNote0 makes a kind of note; call it in package variable declarations only.
func NewNote0(name, format string, tone ...NoteTone) *Note0 {
	return &Note0{newKind(name, format, tone)}
}

// Say notes it.
func (n *Note0) Say(e *Env) {
	if n.Heard(e) {
		n.tell(e, n.Of())
	}
}

// Note1 has one gap.
type Note1[A any] struct{ NoteKind }

// NewNote1 is NewNote0 of a kind with one gap.
func NewNote1[A any](name, format string, tone ...NoteTone) *Note1[A] {
	return &Note1[A]{newKind(name, format, tone)}
}

// Say notes it.
func (n *Note1[A]) Say(e *Env, a A) {
	if n.Heard(e) {
		n.tell(e, n.Of(a))
	}
}

// Note2 has two gaps.
type Note2[A, B any] struct{ NoteKind }

// NewNote2 is NewNote0 of a kind with two gaps.
func NewNote2[A, B any](name, format string, tone ...NoteTone) *Note2[A, B] {
	return &Note2[A, B]{newKind(name, format, tone)}
}

// Say notes it.
func (n *Note2[A, B]) Say(e *Env, a A, b B) {
	if n.Heard(e) {
		n.tell(e, n.Of(a, b))
	}
}

// Note3 has three gaps.
type Note3[A, B, C any] struct{ NoteKind }

// NewNote3 is NewNote0 of a kind with three gaps.
func NewNote3[A, B, C any](name, format string, tone ...NoteTone) *Note3[A, B, C] {
	return &Note3[A, B, C]{newKind(name, format, tone)}
}

// Say notes it.
func (n *Note3[A, B, C]) Say(e *Env, a A, b B, c C) {
	if n.Heard(e) {
		n.tell(e, n.Of(a, b, c))
	}
}

// Note4 has four gaps.
type Note4[A, B, C, D any] struct{ NoteKind }

// NewNote4 is NewNote0 of a kind with four gaps.
func NewNote4[A, B, C, D any](name, format string, tone ...NoteTone) *Note4[A, B, C, D] {
	return &Note4[A, B, C, D]{newKind(name, format, tone)}
}

// Say notes it.
func (n *Note4[A, B, C, D]) Say(e *Env, a A, b B, c C, d D) {
	if n.Heard(e) {
		n.tell(e, n.Of(a, b, c, d))
	}
}

// Some is a number of things in words: "1 seat", "2 seats".
func Some(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Counted is a number of things: "1 seat", "2 seats".
type Counted struct {
	N     int
	Thing string
}

func (c Counted) String() string { return Some(c.N, c.Thing) }

// EventKind is what sort of event an observer receives.
type EventKind uint8

// Acted: an action begins. Sent: a message or a hang-up was put on a lane.
// Chosen: a choice inside the step was settled. Noted: a node notes what it did.
const (
	Acted EventKind = iota + 1
	Sent
	Chosen
	Noted
)

// Event is one entry of an observed run.
type Event struct {
	Kind    EventKind
	Node    NodeID
	Action  Action
	Message Message
	// Text is the action's name or the choice's.
	Text            string
	Note            Note
	Picked, Options int
}

// Observer follows a run as it happens: to record names, to make its story. It
// must not change anything.
type Observer interface {
	Observe(w *World, e *Event)
}

// SetObserver installs an observer; nil removes it. Runs are several times
// slower with one, and take the same course.
func (w *World) SetObserver(o Observer) { w.observer = o }

// Follow installs an observer that measures the run, until Reset. It is given no names of actions, and notes only if
// they are IsMeasured.
func (w *World) Follow(o Observer) { w.follower = o }

func (w *World) observed() bool { return w.observer != nil || w.follower != nil }

// tell gives both observers an event, which is valid during the call.
func (w *World) tell(e Event) {
	w.told = e
	if w.observer != nil {
		w.observer.Observe(w, &w.told)
	}
	if w.follower != nil {
		w.follower.Observe(w, &w.told)
	}
}

// Note is what a node reports while a run is observed: a value that says what
// happened, with which stream, revision or watcher. Its text is made only when a
// person reads it.
type Note interface {
	// Text is a sentence without its subject, which is the node. w gives the
	// names of other nodes.
	Text(w *World) string
}

// About is what a note is about, for readers that must not go by its text.
type About struct {
	// Revision that the note speaks of, 0 if it speaks of none.
	Revision int64
	// Key that is written or read, empty if there is none.
	Key string
	// Client is the name of the node whose watch the note speaks of, empty if it speaks
	// of none or of that of its own node.
	Client string
}

// Subject is an optional capability of a note.
type Subject interface {
	About() About
}

// Setback is an optional capability of a note: something that was asked for, or that
// would have come, does not come of the step, or comes later. A story that is about
// something missing tells of setbacks before it tells of what goes on as ever.
type Setback interface {
	SetsBack() bool
}

// Aside is an optional capability of a note: what goes on as ever, and matters only to a story about the change or the
// key that the note is about.
type Aside interface {
	IsAside() bool
}

// Noting reports whether a run is observed. Guard a Note with it, so that
// campaigns do not pay for values that are not read.
func (e *Env) Noting() bool { return e.w.observer != nil }

// Note gives the observer what just happened.
func (e *Env) Note(n Note) {
	if e.w.observer != nil {
		e.w.tell(Event{Kind: Noted, Node: e.node, Note: n})
	}
}

// CoveragePoint is something rare that matters, or a branch that must not stay
// untried: "victim while progress is deferred". Each world counts how often it
// came about, and a campaign reports the sum. A guarantee that was never checked
// where it came about is none.
type CoveragePoint uint16

var coveragePoints []string

// NewCoveragePoint registers a coverage point; call it in package variable declarations
// only, so that the numbers are the same in every process.
func NewCoveragePoint(name string) CoveragePoint {
	for _, s := range coveragePoints {
		if s == name {
			panic("sim: coverage point registered twice: " + name)
		}
	}
	coveragePoints = append(coveragePoints, name)
	return CoveragePoint(len(coveragePoints) - 1)
}

// String is the coverage point's name.
func (s CoveragePoint) String() string { return coveragePoints[s] }

// CoveragePoints are all that this binary knows, in the order of registration.
func CoveragePoints() []CoveragePoint {
	all := make([]CoveragePoint, len(coveragePoints))
	for i := range all {
		all[i] = CoveragePoint(i)
	}
	return all
}
