package explain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastWord is how long a word must be: shorter ones are in every text.
const leastWord = 3

// Mentions lists what speaks of a word, or of the number of an issue, but for what is explained: each with the first
// sentence that has the word. It is for words that are no names.
func Mentions(word string, explained []Explanation) (all []List) {
	word = strings.TrimPrefix(strings.Join(strings.Fields(word), " "), "#")
	if utf8.RuneCountInString(word) < leastWord {
		return nil
	}
	for _, list := range Lists(ListNames...) {
		found := List{Name: list.Name}
		for _, e := range list.Entries {
			for _, x := range append([]Entry{e}, e.values...) {
				sentence := x.mention(word)
				if sentence != "" && !slices.ContainsFunc(explained, func(e Explanation) bool {
					return e.Name == x.Name && (e.Kind == singular[list.Name] || e.Kind == "value")
				}) {
					found.Entries = append(found.Entries, Entry{Name: x.Name, About: sentence})
				}
			}
		}
		if len(found.Entries) > 0 {
			all = append(all, found)
		}
	}
	return all
}

// mention is the first sentence that has a word. If only the name has it, that is what the thing is about.
func (e *Entry) mention(word string) string {
	for _, text := range e.texts {
		for _, sentence := range sentences(text) {
			if has(sentence, word) {
				return strings.TrimSpace(sentence)
			}
		}
	}
	if len(e.texts) > 0 && has(e.Name, word) {
		return strings.TrimSpace(sentences(e.texts[0])[0])
	}
	return ""
}

// Issue is the number of an issue in its address, or behind a name: that of .../issues/15220, etcd#15220 or "etcd
// 15220". It is empty for anything else, and for a number alone.
func Issue(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '#' || r == ' ' })
	if len(words) < 2 || !IsNumber(words[len(words)-1]) {
		return ""
	}
	return words[len(words)-1]
}

// IsNumber reports whether a name is the number of an issue, of which more things than the one that is named after it
// may speak.
func IsNumber(name string) bool {
	number := strings.TrimPrefix(name, "#")
	return number != "" && strings.Trim(number, "0123456789") == ""
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
