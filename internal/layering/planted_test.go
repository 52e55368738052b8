package layering

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// imports builds a graph of packages of the module: each name with its imports.
func imports(list map[string][]string) graph {
	g := graph{}
	for name, imported := range list {
		g[name] = pkg{imports: imported, ours: true, doc: "x"}
		for _, i := range imported {
			if _, ok := list[i]; !ok {
				g[i] = pkg{}
			}
		}
	}
	return g
}

func TestForbiddenImportIsFound(t *testing.T) {
	rules := []rule{{packages: []string{"a/..."}, except: []string{"a/free"}, never: []string{"net/..."}, because: "no network"}}
	require.Empty(t, checkForbidden(imports(map[string][]string{
		"a": {"netting"}, "a/free": {"net"}, "ab": {"net"},
	}), rules))
	require.Equal(t, []string{"a must never import net: no network (a > net)"},
		checkForbidden(imports(map[string][]string{"a": {"net"}}), rules))
	require.Equal(t, []string{"a/x must never import net/http: no network (a/x > b > c > net/http)"},
		checkForbidden(imports(map[string][]string{"a/x": {"b"}, "b": {"c"}, "c": {"net/http"}}), rules))
	require.Equal(t, []string{"a/y must never import net: no network (a/y > net)"},
		checkForbidden(imports(map[string][]string{"a/x": {"b"}, "b": {"a/y"}, "a/y": {"net"}}), rules), "only where it begins")
}

func TestForbiddenDirectImportIsFound(t *testing.T) {
	rules := []rule{{packages: []string{"..."}, except: []string{"c"}, never: []string{"flag"}, directly: true, because: "no flags"}}
	g := imports(map[string][]string{"a": {"b", "c"}, "b": {"c", "flag"}, "c": {"flag"}})
	require.Equal(t, []string{"b must never import flag: no flags (b > flag)"}, checkForbidden(g, rules))
}

func TestImportUpwardsOrSidewaysIsFound(t *testing.T) {
	layers := [][]string{{"ground"}, {"left/...", "right"}, {"top"}}
	require.Empty(t, checkLayers(imports(map[string][]string{
		"ground": {"fmt"}, "left": {"ground", "left/part"}, "left/part": nil, "right": {"ground"}, "top": {"left", "right", "ground"},
	}), layers))
	require.Equal(t, []string{"ground imports top, which is not below it"},
		checkLayers(imports(map[string][]string{"ground": {"top"}, "top": nil}), layers))
	require.Equal(t, []string{"left/part imports right, which is not below it"},
		checkLayers(imports(map[string][]string{"left/part": {"right"}, "right": nil}), layers))
	require.Equal(t, []string{"new is in no layer: add it to the table where it belongs"},
		checkLayers(imports(map[string][]string{"new": nil}), layers))
}

func TestImportBackUpATreeIsFound(t *testing.T) {
	require.Empty(t, checkTrees(imports(map[string][]string{
		"ground": nil, "ground/a": {"ground"}, "roof": {"roof/a"}, "roof/a": nil, "roofs": {"roof"},
	})))
	require.Equal(t, []string{"tree imports tree/below and is imported by tree/above: move what both need into a package of its own"},
		checkTrees(imports(map[string][]string{"tree": {"tree/below"}, "tree/below": nil, "tree/above": {"other"}, "other": {"tree"}})))
}

func TestMissingPackageCommentIsFound(t *testing.T) {
	require.Equal(t, []string{"mute has no package comment: say what it is for and what it must never import"},
		checkComments(graph{"mute": {ours: true}, "documented": {ours: true, doc: "Package documented"}, "fmt": {}}))
}
