package mention

import (
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// shelf is all things of one kind.
type shelf struct {
	// list is the name of their list.
	list   string
	things func() []thing
}

var shelves = []shelf{
	{"scenarios", scenarios},
	{"cache", designs},
	{"bugs", bugs},
	{"options", options},
	{"properties", func() (all []thing) {
		for _, p := range testbed.Properties() {
			all = append(all, thing{p.Name, []string{p.Promise, p.Violated}})
		}
		return all
	}},
	{"strategies", func() (all []thing) {
		for _, s := range strategy.All() {
			all = append(all, thing{s.Name, []string{s.Summary}})
		}
		return all
	}},
	{"findings", func() (all []thing) {
		for _, p := range findings.All() {
			all = append(all, thing{p.Name, []string{p.Title, p.Text}})
		}
		return all
	}},
	{"metrics", func() (all []thing) {
		for _, m := range metric.All() {
			all = append(all, thing{m.String(), []string{m.Help()}})
		}
		return all
	}},
}

// scenarios have texts of their own and the reasons of what is known of them. A reason that several share says little of each.
func scenarios() (all []thing) {
	shared := map[string]int{}
	for _, sc := range testbed.Scenarios() {
		for _, row := range sc.Known {
			shared[row.Because]++
		}
	}
	for _, sc := range testbed.Scenarios() {
		t := thing{sc.Name, []string{sc.Summary, sc.Doc}}
		for _, row := range sc.Known {
			if shared[row.Because] == 1 {
				t.texts = append(t.texts, row.Because)
			}
		}
		all = append(all, t)
	}
	return all
}

func designs() (all []thing) {
	for _, d := range cache.Designs() {
		all = append(all, thing{d.Name, []string{d.Doc}})
	}
	return all
}

func bugs() (all []thing) {
	for _, b := range testbed.KnownBugs() {
		all = append(all, thing{b.Name, []string{b.Summary, b.Issue, b.Why, b.WhyFurther}})
	}
	return all
}

// options are followed by their values.
func options() (all []thing) {
	for _, o := range testbed.Describe() {
		all = append(all, thing{o.Name, []string{o.Doc}})
		for _, v := range o.Values {
			all = append(all, thing{o.Name + "=" + v.Name, []string{v.Doc}})
		}
	}
	return all
}
