package proofs_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// promise is a part of the table: what was searched for on several releases and designs.
type promise struct {
	title string
	// text says what is promised, and what a reader must know of the searches.
	text     string
	scenario *testbed.Scenario
	etcd     []string
	// designs of the cache; none for clients of etcd's own API.
	designs []string
	bounds  []bounds
	// wanted are the bounds that are still too large, in words.
	wanted string
}

// bounds are options of the scenario, NAME=VALUE, and how often timers fire.
type bounds struct {
	set     string
	firings int
}

// classes are a release for each way in which etcd answered progress requests, and the
// newest of each branch.
var classes = []string{"3.5.7", "3.5.12", "3.5.13", "3.6.16", "3.7.3"}

var promises = []promise{
	{
		title: "Consistent LIST",
		text: "A consistent LIST shows every write that was answered before the LIST was asked for. The search begins when the cache has listed\n" +
			"and watches.",
		scenario: scenarios.Issue15220, etcd: classes, designs: []string{"kep-2340", "kep-2340-fallback"},
		bounds: []bounds{{"writers=1 writes=1 readers=1 reads=1", 1}},
		wanted: "2 writes x 2 LISTs x 3 polls",
	},
}

// row is one search of the table.
type row struct {
	*promise
	etcd, design string
	bounds
}

func (p *promise) rows() (list []row) {
	designs := p.designs
	if designs == nil {
		designs = []string{""}
	}
	for _, b := range p.bounds {
		for _, e := range p.etcd {
			for _, d := range designs {
				list = append(list, row{p, e, d, b})
			}
		}
	}
	return list
}

// params are those of the search.
func (r *row) params() (testbed.Params, error) {
	p := r.scenario.Params
	p.Etcd = r.etcd
	if r.design != "" {
		p.Cache = r.design
	}
	return p, setAll(&p, r.set)
}

func setAll(p *testbed.Params, settings string) error {
	for _, s := range strings.Fields(settings) {
		name, value, _ := strings.Cut(s, "=")
		if err := p.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// name is that of the row in proofs.json: what simrun is to be asked for.
func (r *row) name() string {
	words := []string{r.scenario.Name, "--etcd", r.etcd}
	if r.design != "" {
		words = append(words, "--cache", r.design)
	}
	for _, s := range strings.Fields(r.set) {
		words = append(words, "--set", s)
	}
	return strings.Join(append(words, "--firings", fmt.Sprint(r.firings)), " ")
}

// story is the file with the shortest schedule of a violation.
func (r *row) story() string {
	words := append([]string{r.scenario.Name, "etcd-" + r.etcd, r.design}, strings.Fields(r.set)...)
	words = slices.DeleteFunc(append(words, fmt.Sprintf("firings=%d", r.firings)), func(w string) bool { return w == "" })
	return strings.ReplaceAll(strings.Join(words, "-"), "=", "-") + ".txt"
}
