package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

// explainRelease takes every release of etcd that can be simulated, listed or not.
func explainRelease(program, name string) []Explanation {
	name = strings.TrimPrefix(name, "v")
	o, err := etcd.OptionsOf(name)
	if err != nil {
		return nil
	}
	e := Explanation{Kind: "etcd release", Name: name, Summary: "what this release does where releases differ"}
	if newest, unreleased := etcd.Unreleased(name); unreleased {
		e.say("not known", "it is newer than "+newest+", the newest release known of its branch, and behaves as that one")
	}
	if alike := sameOptions(o); alike != name {
		e.say("behaves the same as", alike)
	}
	e.list("known bugs that it has", bugsOf(o))
	e.list("findings about it ("+program+" list NAME has the story)", findingsAbout(name))
	e.listBelow("scenarios known to be violated with it, and not with "+newestRelease(), violatedUnlike("etcd", name, newestRelease()))
	e.list("etcd", choices(etcd.Choices, o))
	if c, err := client.OptionsOf(name); err == nil {
		e.list("clientv3 of this release, which API servers use unless --client names another", choices(client.Choices, c))
	}
	e.say("scenarios with it", scenariosWith("etcd", name))
	e.say("to run it", program+" run SCENARIO --etcd "+name)
	return []Explanation{e}
}

// explainProgram takes the programs that serve the watches of an etcd.
func explainProgram(command, name string) []Explanation {
	p, err := testbed.FindProgram(name)
	if err != nil {
		return nil
	}
	e := Explanation{Kind: "program of etcd", Name: name, Summary: "serves the watches of an etcd " + p.Version + " in place of the simulated watch server"}
	var reads []string
	for i := range etcd.Choices {
		if option := etcd.Choices[i].Name; !p.Ignores(option) {
			reads = append(reads, option)
		}
	}
	e.say("options that etcd reads with it", joined(reads))
	e.say("to run it", command+" run SCENARIO --etcd "+name)
	return []Explanation{e}
}

// sameOptions names the releases with the same options.
func sameOptions(o etcd.Options) string {
	return releasesWith(func(version string) bool {
		other, err := etcd.OptionsOf(version)
		return err == nil && other == o
	})
}

func choices[C any](g option.Group[C], c C) []Item {
	var items []Item
	for i := range g {
		item := setting(g[i].Name, g[i].Get(&c))
		if len(item.Lines) > 0 {
			item.Lines[0] = g[i].Doc + ": " + item.Lines[0]
		}
		items = append(items, item)
	}
	return items
}

func bugsOf(o etcd.Options) []Item {
	return each(bugsFor(func(b *testbed.KnownBug) bool { return isIn(b, o) }), func(b *testbed.KnownBug) Item {
		return Item{b.Name, []string{b.Summary, "affected: " + affected(b), "reported: " + reported(b), shows(b)}}
	})
}

// isIn reports whether a release with these options has a bug of etcd.
func isIn(b *testbed.KnownBug, o etcd.Options) bool {
	choice, err := etcd.Choices.Find(b.Planting().Name)
	return err == nil && choice.Get(&o) == b.Planting().Value
}

// affected are the releases that have a bug of etcd.
func affected(b *testbed.KnownBug) string {
	return releasesWith(func(version string) bool {
		o, err := etcd.OptionsOf(version)
		return err == nil && isIn(b, o)
	})
}

// reported is the issue of a bug, or what the page says that is called like it.
func reported(b *testbed.KnownBug) string {
	for _, p := range findings.All() {
		if p.Name == b.Name {
			return prose(p.Part("Reported"))
		}
	}
	return cmp.Or(b.Issue, "no report is known")
}

// findingsAbout are the pages about etcd whose scenario is known to be violated with a release. Those that choose
// a design of the cache are about the design.
func findingsAbout(release string) (items []Item) {
	for _, p := range findings.All() {
		words := strings.Fields(p.Command())
		sc, err := testbed.FindScenario(words[1])
		if err != nil || slices.Contains(words, "--cache") || !strings.Contains(p.Part("Affected"), "etcd") {
			continue
		}
		params, err := sc.Params.With("etcd", release)
		if err == nil && len(known.Expected(sc, &params)) > 0 {
			items = append(items, Item{p.Name, []string{p.Title, "affected: " + prose(p.Part("Affected")), "reported: " + prose(p.Part("Reported"))}})
		}
	}
	return items
}

// newestRelease is the last one of the list.
func newestRelease() string {
	all := etcd.Versions()
	return all[len(all)-1]
}

// releasesWith says for which releases something holds, in words: "3.4.25 to 3.4.30,
// 3.5.8 to 3.5.12". It is empty if it holds for none.
func releasesWith(holds func(version string) bool) string {
	var parts []string
	every := true
	for _, branch := range etcd.Branches() {
		part := spans(branch, holds)
		every = every && len(part) == 1 && part[0] == branch[0].Branch()
		parts = append(parts, part...)
	}
	if every {
		return "every release"
	}
	return strings.Join(parts, ", ")
}

// spans are the releases of one branch, in a row where they follow each other.
func spans(branch []release.Version, holds func(version string) bool) []string {
	var all []string
	for i := 0; i < len(branch); i++ {
		if !holds(branch[i].String()) {
			continue
		}
		first := i
		for i+1 < len(branch) && holds(branch[i+1].String()) {
			i++
		}
		all = append(all, span(branch, first, i))
	}
	return all
}

func span(branch []release.Version, first, last int) string {
	switch {
	case first == 0 && last == len(branch)-1:
		return branch[0].Branch()
	case first == last:
		return branch[first].String()
	case last == len(branch)-1:
		return branch[first].Branch() + " from " + branch[first].String() + " on"
	}
	return branch[first].String() + " to " + branch[last].String()
}

// parseKubernetes reads a release of the API server by its minor version, and its patch if it has one: "1.31",
// "v1.31.2", "kubernetes 1.31", or as a module of Go, which has the same minor version, "v0.31.2", "v0.38.0-alpha.2".
func parseKubernetes(text string) (r release.Version, ok bool) {
	if rest, named := strings.CutPrefix(strings.ToLower(text), "kubernetes"); named {
		text = strings.TrimLeft(rest, " -")
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "v"), "-")
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 || parts[0] != "0" && parts[0] != "1" {
		return r, false
	}
	r.Major = 1
	for i, number := range []*int{&r.Minor, &r.Patch}[:len(parts)-1] {
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return r, false
		}
		*number = n
	}
	return r, true
}

// fixes are the releases of Kubernetes, or of its client library, with which a fix came; nil if a bug is not one of
// these.
func fixes(b *testbed.KnownBug) (all release.Since) {
	if b.FixedIn.Of != "Kubernetes" && b.FixedIn.Of != "client-go" {
		return nil
	}
	for _, v := range b.FixedIn.Versions {
		if r, ok := parseKubernetes(v); ok {
			all = append(all, r)
		}
	}
	return all
}

// shippedDesigns are the designs that are called after a release of k8s.io/apiserver.
func shippedDesigns() map[string]release.Version {
	all := map[string]release.Version{}
	for _, d := range cache.Designs() {
		if r, ok := parseKubernetes(d.Name); ok {
			all[d.Name] = r
		}
	}
	return all
}

// newestKubernetes is the newest branch of which the catalogue says something.
func newestKubernetes() (newest int) {
	for _, r := range shippedDesigns() {
		newest = max(newest, r.Minor)
	}
	for _, b := range testbed.KnownBugs() {
		for _, r := range fixes(b) {
			newest = max(newest, r.Minor)
		}
	}
	return newest
}

// explainKubernetes says what the catalogue knows of a release of the API server. No
// release but those with a design, which is explained by itself, is simulated as a whole.
func explainKubernetes(program, name string) []Explanation {
	r, ok := parseKubernetes(name)
	if _, design := shippedDesigns()[name]; !ok || design || r.Minor > newestKubernetes() {
		return nil
	}
	e := Explanation{Kind: "Kubernetes release", Name: r.String(), Summary: "what the catalogue says of the API server and the client library of this release"}
	shipped := ""
	for _, d := range cache.Designs() {
		if of, ok := shippedDesigns()[d.Name]; ok && of.Minor == r.Minor {
			shipped = d.Name
		}
	}
	if shipped != "" {
		e.say("simulated as", "the cache design "+shipped+" (`"+program+" list "+shipped+"`)")
		e.say("to run it", program+" run SCENARIO --cache "+shipped)
	} else {
		e.say("simulated as", "no design: of this release single options and bugs are simulated, which follow")
	}
	var fixed []string
	var later []Item
	for _, b := range bugsFor(func(b *testbed.KnownBug) bool { return fixes(b) != nil }) {
		if fixes(b).Includes(r) {
			fixed = append(fixed, b.Name)
		} else {
			later = append(later, Item{b.Name, []string{b.Summary, "fixed in " + b.FixedIn.String(), shows(b)}})
		}
	}
	e.list("known bugs that were fixed in later releases (when they came in is not known)", later)
	e.say("known bugs that are fixed in it", joined(fixed))
	e.list("values of options that are about this release by name", valuesNaming(r))
	return []Explanation{e}
}

// valuesNaming are the values of options whose sentences name the branch of a release, or that of its client library.
func valuesNaming(r release.Version) (items []Item) {
	for _, o := range testbed.Describe() {
		for _, v := range o.Values {
			if has(v.Doc, r.Branch()) || has(v.Doc, "0."+strconv.Itoa(r.Minor)) {
				items = append(items, setting(o.Name, v.Name))
			}
		}
	}
	return items
}
