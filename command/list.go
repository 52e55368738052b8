package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// entry is one line of a list.
type entry struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

type section struct {
	name    string
	entries func() []entry
}

var sections = []section{
	{"scenarios", func() (list []entry) {
		for _, sc := range testbed.Scenarios() {
			list = append(list, entry{sc.Name, sc.Summary})
		}
		return list
	}},
	{"etcd", func() (list []entry) {
		for _, v := range etcd.Versions() {
			list = append(list, entry{v, behaviours(v)})
		}
		return list
	}},
	{"cache", func() (list []entry) {
		for _, d := range cache.Designs() {
			list = append(list, entry{d.Name, d.Doc})
		}
		return list
	}},
	{"bugs", func() (list []entry) {
		for _, b := range testbed.Bugs() {
			about := b.Summary + " (" + b.Node + ": " + b.Option + "=" + b.Value
			if b.Issue != "" {
				about += ", " + b.Issue
			}
			list = append(list, entry{b.Name, about + ")"})
		}
		return list
	}},
	{"options", func() (list []entry) {
		for _, o := range testbed.Describe() {
			list = append(list, entry{o.Name, aboutOption(&o)})
		}
		return list
	}},
	{"strategies", func() (list []entry) {
		for _, s := range strategy.All() {
			list = append(list, entry{s.Name, s.Summary})
		}
		return list
	}},
	{"metrics", func() (list []entry) {
		for _, m := range sim.Metrics() {
			list = append(list, entry{m.String(), m.Help()})
		}
		return list
	}},
}

// aboutOption says what an option belongs to, what it does, and which values it
// takes.
func aboutOption(o *testbed.Described) string {
	about := o.Node + ": " + o.Doc
	var names []string
	for _, v := range o.Values {
		names = append(names, v.Name)
	}
	switch {
	case len(names) > 0:
		about += " (" + strings.Join(names, ", ") + ")"
	case o.Default != "":
		about += " (" + o.Form + "; 0: " + o.Default + ")"
	default:
		about += " (" + o.Form + ")"
	}
	return about
}

// behaviours says how a version answers progress requests, which is what most
// scenarios turn on.
func behaviours(v string) string {
	p := testbed.Params{Etcd: v, Cache: cache.Designs()[0].Name}
	n, err := p.Nodes()
	if err != nil {
		return ""
	}
	return "progress requests: " + n.Value("progress")
}

func listCommand(s streams) *cobra.Command {
	var asJSON bool
	var names []string
	for _, sec := range sections {
		names = append(names, sec.name)
	}
	c := &cobra.Command{
		Use:   "list [" + strings.Join(names, "|") + "|SCENARIO]",
		Short: "list scenarios, etcd versions, cache designs, bugs, options, strategies and metrics",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			chosen := sections
			if len(args) == 1 {
				chosen = nil
				for _, sec := range sections {
					if sec.name == args[0] {
						chosen = []section{sec}
					}
				}
				if sc, err := testbed.FindScenario(args[0]); err == nil {
					return describeScenario(s.out, sc, asJSON)
				}
				if chosen == nil {
					return usage("there is no list and no scenario %q; there are lists of %s", args[0], strings.Join(names, ", "))
				}
			}
			if asJSON {
				return listJSON(s.out, chosen)
			}
			return listText(s.out, chosen)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func listJSON(w io.Writer, chosen []section) error {
	all := map[string][]entry{}
	for _, sec := range chosen {
		all[sec.name] = sec.entries()
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

func listText(w io.Writer, chosen []section) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, sec := range chosen {
		if len(chosen) > 1 {
			if i > 0 {
				fmt.Fprintln(t)
			}
			fmt.Fprintf(t, "%s\n", sec.name)
		}
		for _, e := range sec.entries() {
			fmt.Fprintf(t, "  %s\t%s\n", e.Name, e.About)
		}
	}
	return t.Flush()
}
