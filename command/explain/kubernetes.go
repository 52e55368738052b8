package explain

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

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
