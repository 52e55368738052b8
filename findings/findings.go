package findings

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed pages/*.md
var files embed.FS

// Page is what has been found once.
type Page struct {
	// Name is that of the file, without its ending.
	Name string
	// Title says in a clause what goes wrong.
	Title string
	// Text is the whole page, in Markdown.
	Text string
}

// Path is where the page is in the repository.
func (p *Page) Path() string { return "findings/pages/" + p.Name + ".md" }

// All are the pages in the order of their names.
func All() []Page {
	entries, err := fs.ReadDir(files, "pages")
	if err != nil {
		panic(err) // embedded
	}
	var all []Page
	for _, e := range entries {
		text, err := files.ReadFile("pages/" + e.Name())
		if err != nil {
			panic(err) // embedded
		}
		first, _, _ := strings.Cut(string(text), "\n")
		all = append(all, Page{
			Name:  strings.TrimSuffix(e.Name(), ".md"),
			Title: strings.TrimPrefix(first, "# "),
			Text:  string(text),
		})
	}
	return all
}
