package command

import (
	"strconv"
	"strings"
	"unicode"
)

// messages are what is said of an error: each of those that were joined is a line.
func messages(err error) []string {
	if err == nil {
		return nil
	}
	var lines []string
	if e, ok := err.(*exitError); ok {
		return messages(e.err)
	}
	if list := joined(err); list != nil {
		for _, one := range list {
			lines = append(lines, messages(one)...)
		}
		return lines
	}
	text := err.Error()
	if strings.HasPrefix(text, "unknown command") {
		// The suggestion comes on lines of its own.
		text = strings.Join(strings.Fields(text), " ")
	}
	return append(lines, oneLine(text))
}

// oneLine has the control characters of a text spelt out, such as those of an argument that
// is quoted in it: a new line would be taken for another message, and a terminal does what
// others say.
func oneLine(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
