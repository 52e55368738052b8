package claims

import (
	"fmt"
	"strings"
)

// Markdown is the table of all figures.
func Markdown(figures []Figure) string {
	var b strings.Builder
	document := ""
	for i := range figures {
		f := &figures[i]
		if f.Document != document {
			document = f.Document
			fmt.Fprintf(&b, "\n## %s\n\n| section | what it says | verdict | measured | why | command |\n| --- | --- | --- | --- | --- | --- |\n", document)
		}
		command := "-"
		if f.Command != "" {
			command = "`" + f.Command + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", f.Section, f.Says, f.Verdict, orDash(f.Measured), orDash(f.Why), command)
	}
	return b.String()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
