package report

import (
	_ "embed"
	"html/template"
)

//go:embed page.css
var pageCSS string

//go:embed run.html
var runHTML string

//go:embed history.html
var historyHTML string

//go:embed timeline.html
var timelineHTML string

var pageFunctions = template.FuncMap{"css": func() template.CSS { return template.CSS(pageCSS) }}

var (
	runTemplate     = parsed("run", runHTML)
	historyTemplate = parsed("history", historyHTML)
)

func parsed(name, page string) *template.Template {
	return template.Must(template.Must(template.New(name).Funcs(pageFunctions).Parse(page)).Parse(timelineHTML))
}
