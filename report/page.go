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

//go:embed steps.html
var stepsHTML string

//go:embed clients.html
var clientsHTML string

var pageFunctions = template.FuncMap{"css": func() template.CSS { return template.CSS(pageCSS) }}

var (
	runTemplate     = parsed("run", runHTML)
	historyTemplate = parsed("history", historyHTML)
)

func parsed(name, page string) *template.Template {
	t := template.Must(template.New(name).Funcs(pageFunctions).Parse(page))
	for _, part := range []string{timelineHTML, stepsHTML, clientsHTML} {
		t = template.Must(t.Parse(part))
	}
	return t
}
