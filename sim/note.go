package sim

import (
	"fmt"
	"strings"
)

// NoteKind is a kind of note: a sentence with gaps.
type NoteKind struct {
	name, sentence string
	setback        bool
}

// NewNote makes a kind of note; call it in package variable declarations only. The name is PACKAGE.VARIABLE, the sentence
// a format of package fmt.
func NewNote(name, sentence string) *NoteKind { return &NoteKind{name: name, sentence: sentence} }

// NewSetback is NewNote of notes that are a Setback.
func NewSetback(name, sentence string) *NoteKind { return &NoteKind{name, sentence, true} }

// Of is a note with these values in its gaps. A node stands for its name, and a payload for its label.
func (s *NoteKind) Of(gaps ...any) Said { return Said{kind: s, gaps: gaps} }

// At is the same of a note about a revision, which fills the first gap.
func (s *NoteKind) At(revision int64, gaps ...any) Said {
	return Said{s, append([]any{revision}, gaps...), About{Revision: revision}}
}

// Said is a note of such a kind.
type Said struct {
	kind  *NoteKind
	gaps  []any
	about About
}

// Key is the note, which is about a key as well.
func (n Said) Key(key string) Said {
	n.about.Key = key
	return n
}

// Client is the note, which is about the watch of a client.
func (n Said) Client(name string) Said {
	n.about.Client = name
	return n
}

// Text implements Note.
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

// About implements Subject.
func (n Said) About() About { return n.about }

// SetsBack implements Setback.
func (n Said) SetsBack() bool { return n.kind.setback }

// NoteName is the kind of a note: that of its NoteKind, or its Go type.
func NoteName(n Note) string {
	if s, ok := n.(Said); ok {
		return s.kind.name
	}
	return fmt.Sprintf("%T", n)
}

// Some is a number of things in words: "1 seat", "2 seats".
func Some(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
