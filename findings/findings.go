package findings

import (
	"embed"
	"io/fs"
	"slices"
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

//go:embed coverage.jsonl
var coverage []byte

// Section is a section of one of the documents that the bed was built from, or a subject of a later one, and what
// covers it: a line of coverage.jsonl.
type Section struct {
	Document string `json:"document"`
	Section  string `json:"section"`
	// Scenarios put it to the test, Properties judge it there, Tests are tests, files of interactions and benchmarks
	// beside.
	Scenarios  []string `json:"scenarios,omitempty"`
	Properties []string `json:"properties,omitempty"`
	Tests      []string `json:"tests,omitempty"`
	// Remarks is what to add to the command line, or why nothing covers the section.
	Remarks string `json:"remarks,omitempty"`
}

// Coverage is all sections, document by document.
func Coverage() []Section { return lines[Section](coverage) }

// Parts are what a page says, in this order: each begins with its name and a full stop, in
// bold.
var Parts = []string{"Story", "Affected", "First good", "Try it", "Removed by", "Real servers", "Exposed", "Proposed", "Reported"}

func heading(part string) string { return "**" + part + ".**" }

// Part is the text of one of the Parts without its name.
func (p *Page) Part(name string) string {
	_, text, _ := strings.Cut(p.Text, heading(name))
	if i := slices.Index(Parts, name); i+1 < len(Parts) {
		text, _, _ = strings.Cut(text, heading(Parts[i+1]))
	}
	return strings.TrimSpace(text)
}

// Command is what the page tells its reader to type, without the name of the program.
func (p *Page) Command() string {
	_, rest, _ := strings.Cut(p.Text, "\n    simrun ")
	command, _, _ := strings.Cut(rest, "\n")
	return command
}

// Measured are the rows of the table of what the commands find, cell by cell: command,
// property, violated or holds, and in how many schedules.
func (p *Page) Measured() (rows [][]string) {
	_, rest, _ := strings.Cut(p.Text, BeginMeasured)
	table, _, _ := strings.Cut(rest, EndOfTable)
	for line := range strings.Lines(table) {
		rows = append(rows, strings.Split(strings.ReplaceAll(strings.Trim(line, "| \n"), "`", ""), " | "))
	}
	return rows
}

// What stands around a table that is measured.
const (
	BeginMeasured = "<!-- measured -->\n| command | property | finds | schedules |\n|---|---|---|---|\n"
	EndOfTable    = "<!-- end -->\n"
)
