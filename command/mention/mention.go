package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what is mentioned in of one kind of thing, under the name of the list that has them all.
type Kind struct {
	List  string
	Found []Mention
}

// Mention is a thing with a word in its name or its texts, and the first sentence that has the word. If only the name
// has it, that is what the thing is about.
type Mention struct {
	Name     string
	Sentence string
}

// leastWord is how long a word must be: shorter ones are in every text.
const leastWord = 3

// Of finds what speaks of a word, in the order of the lists; nothing if nothing does.
func Of(word string) []Kind {
	word = strings.TrimPrefix(strings.Join(strings.Fields(word), " "), "#")
	if utf8.RuneCountInString(word) < leastWord {
		return nil
	}
	var all []Kind
	for _, s := range shelves {
		k := Kind{List: s.list}
		for _, t := range s.things() {
			if m, ok := t.mention(word); ok {
				k.Found = append(k.Found, m)
			}
		}
		if len(k.Found) > 0 {
			all = append(all, k)
		}
	}
	return all
}

// thing is what a word may be in. Its first text says what it is about.
type thing struct {
	name  string
	texts []string
}

func (t *thing) mention(word string) (Mention, bool) {
	for _, text := range t.texts {
		for _, sentence := range sentences(text) {
			if has(sentence, word) {
				return Mention{t.name, sentence}, true
			}
		}
	}
	if has(t.name, word) {
		return Mention{t.name, sentences(t.texts[0])[0]}, true
	}
	return Mention{}, false
}

// sentences are those of a text, without its line breaks.
func sentences(text string) []string {
	return strings.SplitAfter(strings.Join(strings.Fields(text), " "), ". ")
}

// has reports whether a text has a word, or its plural, and not only as a part of another one.
func has(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	// "progres" is no singular.
	plural := !strings.HasSuffix(word, "s")
	for last := ' '; ; {
		before, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		if before != "" {
			last, _ = utf8.DecodeLastRuneInString(before)
		}
		if !inWord(last) && (ends(after) || plural && ends(strings.TrimPrefix(after, "s"))) {
			return true
		}
		text = after
		last, _ = utf8.DecodeLastRuneInString(word)
	}
}

func ends(rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	return !inWord(first)
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
