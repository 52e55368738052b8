package history

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// twice finds keys that stand twice in one object. Package encoding/json takes the last of the two and
// says nothing, so that a line with two returns would be judged by one of them. It keeps its memory
// from line to line.
type twice struct {
	// keys are those of the objects that are open, begins is where those of each begin.
	keys   [][]byte
	begins []int
}

// find is a key that stands twice in one object of a line of valid JSON, nil if there is none.
// Keys are equal if encoding/json takes them for the same field, which does not look at case.
func (t *twice) find(line []byte) []byte {
	t.keys, t.begins = t.keys[:0], t.begins[:0]
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{':
			t.begins = append(t.begins, len(t.keys))
		case '}':
			last := len(t.begins) - 1
			t.keys, t.begins = t.keys[:t.begins[last]], t.begins[:last]
		case '"':
			end := endOfString(line, i+1)
			text := line[i+1 : end]
			if i = end; !isKey(line[end+1:]) {
				continue
			}
			key := folded(text)
			for _, other := range t.keys[t.begins[len(t.begins)-1]:] {
				if len(key) == len(other) && bytes.EqualFold(key, other) {
					return text
				}
			}
			t.keys = append(t.keys, key)
		}
	}
	return nil
}

// endOfString is the place of the quote that ends a string.
func endOfString(line []byte, from int) int {
	for at := from; ; at++ {
		at += bytes.IndexByte(line[at:], '"')
		escapes := 0
		for at-1-escapes >= from && line[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}

// isKey reports whether a string is a key, by what comes behind it.
func isKey(behind []byte) bool {
	for _, c := range behind {
		if c == ':' {
			return true
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return false
}

// folded is a key as encoding/json compares it with the names of fields, but for the case of
// its ASCII letters.
func folded(key []byte) []byte {
	plain := true
	for _, c := range key {
		plain = plain && c < 0x80 && c != '\\'
	}
	if plain {
		return key
	}
	var text string
	if json.Unmarshal([]byte(`"`+string(key)+`"`), &text) != nil {
		return key
	}
	return []byte(strings.Map(func(r rune) rune {
		// The smallest of the letters that differ in case alone, such as S of S, s and the long s.
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(r) {
			if next < r {
				return next
			}
			r = next
		}
		return r
	}, text))
}
