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

var pageFunctions = template.FuncMap{"css": func() template.CSS { return template.CSS(pageCSS) }}

var (
	runTemplate     = template.Must(template.New("run").Funcs(pageFunctions).Parse(runHTML))
	historyTemplate = template.Must(template.New("history").Funcs(pageFunctions).Parse(historyHTML))
)
