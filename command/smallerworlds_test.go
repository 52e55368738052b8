package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/proofs"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestWhatIsSmallerCanBeSearched: each option by itself makes a system of every scenario, and a row of the table is one
// of the scenario.
func TestWhatIsSmallerCanBeSearched(t *testing.T) {
	options, rows := 0, 0
	for _, sc := range testbed.Scenarios() {
		p := sc.Params
		for _, flag := range smallerOptions(sc, &p, 2) {
			setting, isSet := strings.CutPrefix(flag, "--set ")
			if !isSet {
				assert.Equal(t, "--timer-bound 0", flag)
				continue
			}
			setting, _, _ = strings.Cut(setting, " ")
			name, value, _ := strings.Cut(setting, "=")
			less, err := p.With(name, value)
			require.NoError(t, err, "%s %s", sc.Name, flag)
			assert.NotEmpty(t, less.Expand(), "%s %s", sc.Name, flag)
			options++
		}
		if s := searchedLike(sc, &p); s != nil {
			rows++
			words := strings.Fields(s.Asked)
			assert.Equal(t, sc.Name, words[0])
			assert.Equal(t, "proved", s.Verdict)
			assert.Equal(t, s, searchedLike(sc, &p), "the same each time")
			sized := p
			for words := range slices.Chunk(sizedAs(s, nil), 2) {
				if words[0] == "--set" {
					name, value, _ := strings.Cut(words[1], "=")
					less, err := sized.With(name, value)
					require.NoError(t, err, "%s %s", sc.Name, words[1])
					sized = less
				}
			}
			_, err := sc.Subjects(sized)
			require.NoError(t, err, "%s as small as %s", sc.Name, s.Asked)
		}
	}
	assert.Greater(t, options, 100)
	assert.Greater(t, rows, 50)
}

// TestASizeLeavesTheRest: what was asked about stays, and gives way where the size says otherwise.
func TestASizeLeavesTheRest(t *testing.T) {
	world := &proofs.Search{Asked: "issue-15220 --etcd 3.6.16 --cache kep-4988 --set writes=1 --set cache=kep-2340 --set reflector-list=watch-list --timer-bound 1"}
	assert.Equal(t, []string{"--set", "progress=deferred", "--set", "writes=1", "--timer-bound", "1"},
		sizedAs(world, []string{"progress=deferred", "writes=9"}))
	sc, err := testbed.FindScenario("issue-15220")
	require.NoError(t, err)
	etcd, cache := nodesOf(world, sc)
	assert.Equal(t, []string{"3.6.16", "kep-2340"}, []string{etcd, cache}, "a setting overrules the flag")
	etcd, cache = nodesOf(&proofs.Search{Asked: "issue-15220 --set writes=1"}, sc)
	assert.Equal(t, []string{sc.Params.Etcd, sc.Params.Cache}, []string{etcd, cache})
}
