package explain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/findings"
)

func explainFinding(program, name string) []Explanation {
	pages := findings.All()
	i := slices.IndexFunc(pages, func(p findings.Page) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	p := &pages[i]
	e := Explanation{Kind: "finding", Name: p.Name, Summary: p.Title}
	e.list("story", []Item{{Lines: steps(p.Part("Story"))}})
	for _, part := range []string{"Affected", "First good"} {
		e.say(strings.ToLower(part), prose(p.Part(part)))
	}
	e.say("to see it", program+" "+p.Command())
	e.listBelow("how often", measured(program, p))
	for _, part := range []string{"Removed by", "Exposed", "Proposed", "Reported"} {
		e.say(strings.ToLower(part), prose(p.Part(part)))
	}
	e.say("the page", p.Path())
	return []Explanation{e}
}

// link is one of Markdown.
var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// prose is one paragraph of what is written in Markdown.
func prose(text string) string {
	return link.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
}

// begins is where an item of a numbered list begins.
var begins = regexp.MustCompile(`(?m)^\d+\. `)

// steps are the items of a numbered list.
func steps(text string) []string {
	var all []string
	at := begins.FindAllStringIndex(text, -1)
	for i, begin := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		all = append(all, prose(text[begin[0]:end]))
	}
	return all
}

// measured is what each command of a page finds.
func measured(program string, p *findings.Page) (items []Item) {
	for _, row := range p.Measured() {
		command := program + strings.TrimPrefix(row[0], "simrun")
		found := row[1] + ": " + row[2] + ", " + row[3]
		if i := slices.IndexFunc(items, func(x Item) bool { return x.Name == command }); i >= 0 {
			items[i].Lines = append(items[i].Lines, found)
		} else {
			items = append(items, Item{command, []string{found}})
		}
	}
	return items
}
