package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/watchbed/watchbed/model"
)

// Terminal is what text is written to.
type Terminal struct {
	// Width in columns; 0 stands for 100.
	Width int
	Color bool
	// Program is the name with which commands in the text begin; empty is simrun.
	Program string
}

func (o Terminal) program() string { return cmp.Or(o.Program, "simrun") }

func (o Terminal) width() int {
	switch {
	case o.Width == 0:
		return 100
	case o.Width < 30:
		return 30
	}
	return o.Width
}

// Bold and Faint paint a text that stands out, or that does not.
func (o Terminal) Bold(s string) string  { return o.paint("1", s) }
func (o Terminal) Faint(s string) string { return o.paint("2", s) }

// Verdict paints a text in the colour of a verdict.
func (o Terminal) Verdict(verdict, text string) string {
	switch verdict {
	case model.Holds.String(), "proved":
		return o.paint("32", text)
	case model.Violated.String():
		return o.paint("31;1", text)
	}
	return text
}

func (o Terminal) paint(code, s string) string {
	if !o.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Wrap breaks a text between words to fit the terminal; lines after the first are
// indented. The first is taken to begin at the indentation, too.
func (o Terminal) Wrap(text string, indent int) string { return wrap(text, o.width(), indent) }

// wrap breaks a text between words; lines after the first are indented. The
// first is taken to begin at the indentation, too.
func wrap(text string, columns, indent int) string {
	room := max(20, columns-indent)
	var b strings.Builder
	column := 0
	for i, word := range words(text, room) {
		space := 1
		if word.joined {
			space = 0
		}
		n := width(word.text)
		switch {
		case i == 0:
		case column+space+n > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = 0
		default:
			b.WriteString(strings.Repeat(" ", space))
			column += space
		}
		b.WriteString(word.text)
		column += n
	}
	return b.String()
}

// word is what a line does not break.
type word struct {
	text string
	// joined: no space is before it.
	joined bool
}

// words are those of a text. A list without spaces that is longer than a line is
// several: a line may end behind each comma.
func words(text string, room int) []word {
	var all []word
	for _, field := range strings.Fields(text) {
		if utf8.RuneCountInString(field) <= room {
			all = append(all, word{text: field})
			continue
		}
		for i, part := range strings.SplitAfter(field, ",") {
			all = append(all, word{part, i > 0})
		}
	}
	return all
}

// sentence gives a text a capital letter and a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// Spelt writes text, with the characters spelt out that change the direction of what stands around them. Names
// and values come from files of strangers, and a text with such a character reads as another one.
type Spelt struct {
	To io.Writer
	// begun are the bytes of a character whose rest was not written yet.
	begun []byte
}

func (s *Spelt) Write(b []byte) (int, error) {
	text := b
	if len(s.begun) > 0 {
		text = append(s.begun, b...)
		s.begun = nil
	}
	last := len(text) - 1
	for last > len(text)-utf8.UTFMax && last > 0 && !utf8.RuneStart(text[last]) {
		last--
	}
	if last >= 0 && !utf8.FullRune(text[last:]) {
		s.begun, text = append(s.begun, text[last:]...), text[:last]
	}
	_, err := s.To.Write(spellOut(text, `\`))
	return len(b), err
}

// spellOut gives each of these characters as JSON and Go write it, behind a backslash: JSON stays what it is.
func spellOut(text []byte, backslash string) []byte {
	var out []byte
	from := 0
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if unicode.Is(unicode.Bidi_Control, r) {
			out = fmt.Appendf(append(out, text[from:at]...), "%su%04x", backslash, r)
			from = at + n
		}
		at += n
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}
