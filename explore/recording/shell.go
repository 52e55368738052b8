package recording

import (
	"regexp"
	"strings"
)

// plainWord is what no shell changes.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord is a text as one word of a command that a person copies into a shell.
func ShellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
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
