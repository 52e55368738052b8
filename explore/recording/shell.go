package recording

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

var (
	// plainWord is what no shell changes.
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	// spelt is what $'...' has as bytes: all but ASCII, and what ends a quotation.
	spelt = regexp.MustCompile(`[^ -~]|['\\]`)
)

// ShellWord is a text as one word of a command that a person copies into a shell. One that changes the direction of
// text is bytes in bash's $'...': such characters are not printed as they are (report.Spelt).
func ShellWord(text string) string {
	switch {
	case plainWord.MatchString(text):
		return text
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }):
		return "$'" + spelt.ReplaceAllStringFunc(text, func(c string) string {
			return `\x` + strings.ReplaceAll(fmt.Sprintf("% x", c), " ", `\x`)
		}) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Again is the command that carries out a recording again. A path that begins as a flag does
// not, behind "./".
func Again(program, path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return program + " replay " + ShellWord(path)
}
