package explain

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// kubernetesVersion is how a release of the API server is written: "1.31", "v1.31.2",
// "kubernetes 1.31", or as a module of Go, "v0.31.2", "v0.38.0-alpha.2".
var kubernetesVersion = regexp.MustCompile(`^(?i:kubernetes[ -]?)?v?[01]\.([0-9]{1,3})(?:\.([0-9]{1,3})(?:-(?:alpha|beta|rc)\.[0-9]+)?)?$`)

// ofKubernetes are the releases that a text names: of Kubernetes, or of a module of it
// with the same minor version.
var ofKubernetes = regexp.MustCompile(`(?:Kubernetes|client-go) ((?:(?:, | and | or )?[01]\.[0-9]+(?:\.[0-9]+)?)+)`)

// kubernetesRelease is a release by its minor version and patch.
type kubernetesRelease struct{ minor, patch int }

func (r kubernetesRelease) String() string {
	return "1." + strconv.Itoa(r.minor) + "." + strconv.Itoa(r.patch)
}

func parseKubernetes(text string) (r kubernetesRelease, ok bool) {
	m := kubernetesVersion.FindStringSubmatch(text)
	if m == nil {
		return r, false
	}
	r.minor, _ = strconv.Atoi(m[1])
	r.patch, _ = strconv.Atoi(m[2])
	return r, true
}

// namedReleases are the releases that a text names after the word Kubernetes.
func namedReleases(text string) []kubernetesRelease {
	var all []kubernetesRelease
	for _, m := range ofKubernetes.FindAllStringSubmatch(text, -1) {
		for _, v := range strings.FieldsFunc(m[1], func(c rune) bool { return c == ' ' || c == ',' }) {
			if r, ok := parseKubernetes(v); ok {
				all = append(all, r)
			}
		}
	}
	return all
}

// hasFix reports whether a release has a fix that came with these: the first release of
// each branch that has it, and all branches behind the last of them.
func (r kubernetesRelease) hasFix(first []kubernetesRelease) bool {
	newest := slices.MaxFunc(first, func(a, b kubernetesRelease) int { return a.minor - b.minor })
	return r.minor > newest.minor ||
		slices.ContainsFunc(first, func(f kubernetesRelease) bool { return f.minor == r.minor && f.patch <= r.patch })
}

// shippedDesigns are the designs that are called after a release of k8s.io/apiserver.
func shippedDesigns() map[string]kubernetesRelease {
	all := map[string]kubernetesRelease{}
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
		newest = max(newest, r.minor)
	}
	for _, b := range testbed.KnownBugs() {
		for _, r := range namedReleases(b.FixedIn) {
			newest = max(newest, r.minor)
		}
	}
	return newest
}

func kubernetesNames() []string {
	var names []string
	for minor := range newestKubernetes() + 1 {
		names = append(names, "1."+strconv.Itoa(minor))
	}
	return names
}

// explainKubernetes says what the catalogue knows of a release of the API server. No
// release but those with a design, which is explained by itself, is simulated as a whole.
func explainKubernetes(program, name string) []Explanation {
	r, ok := parseKubernetes(name)
	if _, design := shippedDesigns()[name]; !ok || design || r.minor > newestKubernetes() {
		return nil
	}
	e := Explanation{Kind: "Kubernetes release", Name: r.String(), Summary: "what the catalogue says of the API server and the client library of this release"}
	shipped := ""
	for _, d := range cache.Designs() {
		if of, ok := shippedDesigns()[d.Name]; ok && of.minor == r.minor {
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
	for _, b := range bugsFor(func(b *testbed.KnownBug) bool { return len(namedReleases(b.FixedIn)) > 0 }) {
		if r.hasFix(namedReleases(b.FixedIn)) {
			fixed = append(fixed, b.Name)
		} else {
			later = append(later, Item{b.Name, []string{b.Summary, "fixed in " + b.FixedIn, shows(b)}})
		}
	}
	e.list("known bugs that were fixed in later releases (when they came in is not known)", later)
	e.say("known bugs that are fixed in it", joined(fixed))
	e.list("values of options that are about this release by name", valuesNaming(r))
	return []Explanation{e}
}

// valuesNaming are the values of options whose sentences name the branch of a release.
func valuesNaming(r kubernetesRelease) []Item {
	var items []Item
	for _, o := range testbed.Describe() {
		for _, v := range o.Values {
			if slices.ContainsFunc(namedReleases(v.Doc), func(n kubernetesRelease) bool { return n.minor == r.minor }) {
				items = append(items, setting(o.Name, v.Name))
			}
		}
	}
	return items
}
