package report

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

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
