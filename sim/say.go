package sim

import (
	"cmp"
	"fmt"
	"strings"
)

// sentence is a kind of note whose gaps have types: Note0 to Note4 have so many. To say one costs nothing while no run is
// observed.
type sentence struct {
	NoteKind
	// revision and key are the numbers of the gaps with what the note is about, counted from 1; 0 is none.
	revision, key int
}

// NoteTone is how a story takes notes of a kind.
type NoteTone uint8

// IsSetback: they are a Setback.
const IsSetback NoteTone = 1

// newSentence reads a format of package fmt with more verbs: %r is %d of the revision that the note is about, and %k is %s of
// the key. %R and %K are what the note is about without saying it. Several kinds may have one name, PACKAGE.VARIABLE.
func newSentence(name, format string, tones []NoteTone) sentence {
	var s sentence
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
			s.revision, verb = gap, verb-'r'+'d'
		case 'k', 'K':
			s.key, verb = gap, verb-'k'+'s'
		}
		if verb >= 'a' {
			fmt.Fprintf(&text, "%%[%d]%c", gap, verb)
		}
	}
	s.NoteKind = NoteKind{name, text.String(), len(tones) > 0}
	return s
}

// say notes the sentence. It is about what its gaps are about that are a Subject themselves, too.
func (s *sentence) say(e *Env, gaps ...any) {
	n := s.Of(gaps...)
	for i, gap := range gaps {
		switch x := gap.(type) {
		case Subject:
			about := x.About()
			n.about = About{cmp.Or(about.Revision, n.about.Revision), cmp.Or(about.Key, n.about.Key), cmp.Or(about.Client, n.about.Client)}
		case int64:
			if i+1 == s.revision {
				n.about.Revision = x
			}
		case string:
			if i+1 == s.key {
				n.about.Key = x
			}
		}
	}
	e.Note(n)
}

// Note0 has no gaps.
type Note0 struct{ sentence }

// NewNote0 makes a kind of note; call it in package variable declarations only.
func NewNote0(name, format string, tone ...NoteTone) *Note0 {
	return &Note0{newSentence(name, format, tone)}
}

// Say notes it.
func (n *Note0) Say(e *Env) {
	if e.Noting() {
		n.say(e)
	}
}

// Note1 has one gap.
type Note1[A any] struct{ sentence }

// NewNote1 is NewNote0 of a kind with one gap.
func NewNote1[A any](name, format string, tone ...NoteTone) *Note1[A] {
	return &Note1[A]{newSentence(name, format, tone)}
}

// Say notes it.
func (n *Note1[A]) Say(e *Env, a A) {
	if e.Noting() {
		n.say(e, a)
	}
}

// Note2 has two gaps.
type Note2[A, B any] struct{ sentence }

// NewNote2 is NewNote0 of a kind with two gaps.
func NewNote2[A, B any](name, format string, tone ...NoteTone) *Note2[A, B] {
	return &Note2[A, B]{newSentence(name, format, tone)}
}

// Say notes it.
func (n *Note2[A, B]) Say(e *Env, a A, b B) {
	if e.Noting() {
		n.say(e, a, b)
	}
}

// Note3 has three gaps.
type Note3[A, B, C any] struct{ sentence }

// NewNote3 is NewNote0 of a kind with three gaps.
func NewNote3[A, B, C any](name, format string, tone ...NoteTone) *Note3[A, B, C] {
	return &Note3[A, B, C]{newSentence(name, format, tone)}
}

// Say notes it.
func (n *Note3[A, B, C]) Say(e *Env, a A, b B, c C) {
	if e.Noting() {
		n.say(e, a, b, c)
	}
}

// Note4 has four gaps.
type Note4[A, B, C, D any] struct{ sentence }

// NewNote4 is NewNote0 of a kind with four gaps.
func NewNote4[A, B, C, D any](name, format string, tone ...NoteTone) *Note4[A, B, C, D] {
	return &Note4[A, B, C, D]{newSentence(name, format, tone)}
}

// Say notes it.
func (n *Note4[A, B, C, D]) Say(e *Env, a A, b B, c C, d D) {
	if e.Noting() {
		n.say(e, a, b, c, d)
	}
}

// Counted is a number of things: "1 seat", "2 seats".
type Counted struct {
	N     int
	Thing string
}

func (c Counted) String() string { return Some(c.N, c.Thing) }
