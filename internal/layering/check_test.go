package layering

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const module = "github.com/watchbed/watchbed"

// pkg is a package as go list knows it. Packages of the module are named by their
// path below it, all others by their import path.
type pkg struct {
	imports []string
	ours    bool
	doc     string
}

type graph map[string]pkg

// ours are the names of the module's packages, in order.
func (g graph) ours() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if g[name].ours {
			names = append(names, name)
		}
	}
	return names
}

func short(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }

func matches(pattern, name string) bool {
	if pattern == "..." {
		return true
	}
	root, below := strings.CutSuffix(pattern, "/...")
	return name == root || below && strings.HasPrefix(name, root+"/")
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// path is a shortest chain of imports from a package to one for which goal holds,
// nil if there is none. It does not begin with a goal.
func (g graph) path(from string, goal func(string) bool) []string {
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g[queue[0]].imports {
			if _, seen := before[next]; seen {
				continue
			}
			before[next] = queue[0]
			if goal(next) {
				chain := []string{next}
				for at := queue[0]; at != ""; at = before[at] {
					chain = append(chain, at)
				}
				slices.Reverse(chain)
				return chain
			}
			queue = append(queue, next)
		}
	}
	return nil
}

func (r *rule) appliesTo(name string) bool {
	return matchesAny(r.packages, name) && !matchesAny(r.except, name)
}

// checkForbidden names each package that imports what it must not, with the chain
// of imports. If the chain goes through another package to which the rule applies,
// only that one is named.
func checkForbidden(g graph, rules []rule) (found []string) {
	for _, r := range rules {
		ruled := func(n string) bool { return g[n].ours && r.appliesTo(n) }
		for _, name := range g.ours() {
			if !ruled(name) {
				continue
			}
			chain := g.path(name, func(n string) bool { return matchesAny(r.never, n) })
			if chain == nil || slices.ContainsFunc(chain[1:len(chain)-1], ruled) {
				continue
			}
			if len(chain) == 2 || !r.directly {
				found = append(found, fmt.Sprintf("%s must never import %s: %s (%s)",
					name, chain[len(chain)-1], r.because, strings.Join(chain, " > ")))
			}
		}
	}
	return found
}

// place is the layer of a package and its pattern there.
func place(layers [][]string, name string) (layer int, pattern string, ok bool) {
	for i, patterns := range layers {
		for _, p := range patterns {
			if matches(p, name) {
				return i, p, true
			}
		}
	}
	return 0, "", false
}

// checkLayers names each import that does not run down, and each package that is in
// no layer.
func checkLayers(g graph, layers [][]string) (found []string) {
	for _, name := range g.ours() {
		layer, pattern, ok := place(layers, name)
		if !ok {
			found = append(found, fmt.Sprintf("%s is in no layer: add it to the table where it belongs", name))
			continue
		}
		for _, imported := range g[name].imports {
			if !g[imported].ours {
				continue
			}
			below, same, ok := place(layers, imported)
			if ok && below >= layer && same != pattern {
				found = append(found, fmt.Sprintf("%s imports %s, which is not below it", name, imported))
			}
		}
	}
	return found
}

// checkTrees names each package that is in the middle of its tree: it imports
// packages of its folders and is imported by others of them. Then an import runs back
// up. A package is the ground that its folders stand on, or their roof.
func checkTrees(g graph) (found []string) {
	for _, name := range g.ours() {
		inside := func(n string) bool { return strings.HasPrefix(n, name+"/") }
		down := g.path(name, inside)
		if down == nil {
			continue
		}
		for _, other := range g.ours() {
			if !inside(other) {
				continue
			}
			if up := g.path(other, func(n string) bool { return n == name }); up != nil {
				found = append(found, fmt.Sprintf("%s imports %s and is imported by %s: move what both need into a package of its own",
					name, down[len(down)-1], other))
			}
		}
	}
	return found
}

// checkComments names each package without a package comment.
func checkComments(g graph) (found []string) {
	for _, name := range g.ours() {
		if g[name].doc == "" {
			found = append(found, name+" has no package comment: say what it is for and what it must never import")
		}
	}
	return found
}
