package jepsen

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is what an EDN value is.
type kind uint8

// A scalar is a number, a symbol, a character, a boolean or nil.
const (
	scalar kind = iota
	keyword
	text
	vector
	list
	set
	table
)

// value is an EDN value. Of a scalar and a keyword, word is as it is written; of a text what
// it says. The items of a table are keys and values in turn.
type value struct {
	kind  kind
	word  string
	items []value
}

// isNil reports whether a value is nil, or not there.
func (v *value) isNil() bool { return v.kind == scalar && (v.word == "nil" || v.word == "") }

// get is the value of a keyword in a table, nil if there is none.
func (v *value) get(key string) *value {
	if v.kind == table {
		for i := 0; i+1 < len(v.items); i += 2 {
			if k := &v.items[i]; k.kind == keyword && k.word == key {
				return &v.items[i+1]
			}
		}
	}
	return &value{word: "nil"}
}

// String writes values that are the same alike, with the elements of a set in order.
func (v *value) String() string {
	marks := [...][2]string{vector: {"[", "]"}, list: {"(", ")"}, set: {"#{", "}"}, table: {"{", "}"}}
	switch v.kind {
	case scalar, keyword, text:
		return v.word
	}
	parts := make([]string, len(v.items))
	for i := range v.items {
		parts[i] = v.items[i].String()
	}
	if v.kind == set {
		slices.Sort(parts)
	}
	return marks[v.kind][0] + strings.Join(parts, " ") + marks[v.kind][1]
}

type parser struct {
	in string
	at int
}

// deepest is how deep values may be within one another.
const deepest = 100

var errCut = errors.New("the EDN ends too early: was the file cut off?")

func (p *parser) space() {
	for p.at < len(p.in) {
		switch {
		case strings.IndexByte(" ,\t\r\n", p.in[p.at]) >= 0:
			p.at++
		case p.in[p.at] == ';':
			// A comment goes up to the end of its line.
			line, _, _ := strings.Cut(p.in[p.at:], "\n")
			p.at += len(line)
		default:
			return
		}
	}
}

// next goes to the next value, behind those that #_ takes away.
func (p *parser) next(depth int) error {
	for p.space(); strings.HasPrefix(p.in[p.at:], "#_"); p.space() {
		p.at += 2
		if _, err := p.value(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) value(depth int) (value, error) {
	if depth > deepest {
		return value{}, errors.New("values are nested too deep")
	}
	if err := p.next(depth); err != nil {
		return value{}, err
	}
	if p.at == len(p.in) {
		return value{}, errCut
	}
	switch c := p.in[p.at]; c {
	case '"':
		return p.text()
	case '[':
		return p.items(vector, 1, ']', depth)
	case '(':
		return p.items(list, 1, ')', depth)
	case '{':
		return p.items(table, 1, '}', depth)
	case '#':
		if strings.HasPrefix(p.in[p.at:], "#{") {
			return p.items(set, 2, '}', depth)
		}
		// A tag says of what class the value behind it is.
		if p.at++; p.word() == "" {
			return value{}, fmt.Errorf("a tag is missing at byte %d", p.at)
		}
		return p.value(depth + 1)
	case ']', ')', '}':
		return value{}, fmt.Errorf("%q at byte %d closes nothing", string(c), p.at+1)
	case ':':
		p.at++
		return value{kind: keyword, word: p.word()}, nil
	}
	return value{word: p.word()}, nil
}

// word is what stands up to the next delimiter.
func (p *parser) word() string {
	from := p.at
	for p.at < len(p.in) && strings.IndexByte(" ,\t\r\n()[]{}\"", p.in[p.at]) < 0 {
		p.at++
	}
	return p.in[from:p.at]
}

func (p *parser) items(k kind, open int, end byte, depth int) (value, error) {
	v := value{kind: k}
	p.at += open
	for {
		if err := p.next(depth); err != nil {
			return v, err
		}
		if p.at == len(p.in) {
			return v, errCut
		}
		if p.in[p.at] == end {
			p.at++
			if k == table && len(v.items)%2 != 0 {
				return v, fmt.Errorf("the map that ends at byte %d has a key without a value", p.at)
			}
			return v, nil
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
}

func (p *parser) text() (value, error) {
	var b strings.Builder
	for p.at++; p.at < len(p.in); p.at++ {
		switch c := p.in[p.at]; c {
		case '"':
			p.at++
			return value{kind: text, word: b.String()}, nil
		case '\\':
			if p.at++; p.at == len(p.in) {
				return value{}, errCut
			}
			// Other escapes stand for themselves, as long as they do so everywhere.
			if i := strings.IndexByte("ntr", p.in[p.at]); i >= 0 {
				b.WriteByte("\n\t\r"[i])
				continue
			}
			b.WriteByte(p.in[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return value{}, errCut
}

// shorten cuts a long part of a line, so that an error stays short.
func shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
