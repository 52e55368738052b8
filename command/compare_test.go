package command

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// TestCompareTwoReleases: what differs comes first, and can be shown again.
func TestCompareTwoReleases(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("compare", "3.5.7", "3.5.13", "--scenarios", "issue-15220,cost-quiet", "--seeds", "200"))
	require.True(t, strings.HasPrefix(c.out, "etcd 3.5.7 and etcd 3.5.13: 2 claims differ\n\nViolated with etcd 3.5.7 only:\n  issue-15220: linearizable "), c.out)
	require.Contains(t, c.out, "because the cache takes early progress")
	require.Regexp(t, `\n    simrun run issue-15220 --etcd 3\.5\.7 --seeds \d+\.\.\d+\n`, c.out)
	require.Contains(t, c.out, "\nAlike: ")
	for line := range strings.Lines(c.out) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 101, line)
	}
	shown := c.out[strings.Index(c.out, "simrun run "):]
	shown, _, _ = strings.Cut(shown, "\n")
	require.Equal(t, exitViolated, c.run(append(strings.Fields(shown)[1:], "--no-story")...))

	require.Equal(t, exitNoVerdict, c.run("compare", "3.5.7", "3.5.13", "--scenarios", "issue-15220", "--seeds", "40"))
	require.True(t, strings.HasPrefix(c.out, "etcd 3.5.7 and etcd 3.5.13: 2 claims are violated with one of them only, in too few schedules to\n  exclude chance\n"), c.out)
	require.Regexp(t, `\n  issue-15220 linearizable: \d of 40 schedules with etcd 3\.5\.7, and 0 of 40 with etcd 3\.5\.13 \(p =\s+0\.\d+\); at these rates \d times the\s+schedules would tell\n`, c.out)

	require.Zero(t, c.run("compare", "3.5.8", "3.5.9", "--scenarios", "issue-15220,cost-quiet", "--seeds", "50"))
	require.True(t, strings.HasPrefix(c.out, "etcd 3.5.8 and etcd 3.5.9: nothing differs\n"), c.out)
	require.Contains(t, c.out, "2 of 2 scenarios: no difference, and nothing unknown; in 2 of them")

	require.Equal(t, exitNoVerdict, c.run("compare", "3.5.8", "3.5.9", "--scenarios", "issue-15220", "--seeds", "50", "--set", "readers=0"))
	require.Contains(t, c.out, "nothing is known to differ")
	require.Contains(t, c.out, "vacuous with etcd 3.5.8: issue-15220 (linearizable, linearizable-data)")
	require.NotContains(t, c.out, "Alike: 2")
}

// TestCompareWithASavedFile: the same again is alike to the bit, another design is not.
func TestCompareWithASavedFile(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("compare", "kep-2340", "--etcd", "3.5.7", "--scenarios", "issue-15220", "--seeds", "100", "--save", "base.json"))
	require.Contains(t, c.out, "kep-2340: all that was run is as known\n")
	file, err := os.Open("base.json")
	require.NoError(t, err)
	defer file.Close()
	saved, err := matrix.Read(file)
	require.NoError(t, err)
	require.Equal(t, matrix.Side{Design: "kep-2340", Etcd: "3.5.7"}, saved.Side)

	require.Zero(t, c.run("compare", "base.json"))
	require.Contains(t, c.out, "base.json and now: nothing differs\n")
	require.Contains(t, c.out, "in 1 of them\n  every run is the same to the bit")

	require.Equal(t, exitViolated, c.run("compare", "base.json", "direct", "--json"))
	var got matrix.Comparison
	require.NoError(t, json.Unmarshal([]byte(c.out), &got))
	require.Equal(t, [2]string{"base.json", "direct"}, got.Names)
	require.NotEmpty(t, got.Differs)
	require.Equal(t, matrix.Verdict, got.Differs[0].Kind)
	require.EqualValues(t, 100, got.Differs[0].Sides[1].Schedules, "as many as were saved")

	c.refuses([]string{"both are saved files"}, "compare", "base.json", "base.json", "--seeds", "10")

	was, err := os.ReadFile("base.json")
	require.NoError(t, err)
	for _, args := range [][]string{{"base.json", "--save", "./base.json"}, {"base.json", "direct", "--save", "base.json"}} {
		c.refuses([]string{"base.json would replace the file that is compared with"}, append([]string{"compare"}, args...)...)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, exitNoVerdict, c.runIn(ctx, "compare", "kep-2340", "--save", "base.json"))
	require.Contains(t, c.err, "interrupted: nothing is saved to base.json")
	now, err := os.ReadFile("base.json")
	require.NoError(t, err)
	require.Equal(t, was, now)
	require.Zero(t, c.run("compare", "base.json", "base.json"))
}

// TestCompareWithWhatIsKnown: a violation that no row explains is told, with exit code 1.
func TestCompareWithWhatIsKnown(t *testing.T) {
	c := command(t)
	require.Equal(t, exitNoVerdict, c.run("compare", "kep-2340", "--scenarios", "issue-15220", "--seeds", "5", "--for", "1h"))
	require.Contains(t, c.out, "Known to be violated in every campaign, and not seen:\n  issue-15220: linearizable")

	// No row knows what this bug of etcd does to a cache.
	require.Equal(t, exitViolated, c.run("compare", "kep-2340", "--scenarios", "consistent-list", "--seeds", "60", "--set", "sent-events=share-value"))
	require.Contains(t, c.out, "Violated, which is not known:\n  consistent-list: linearizable (")
	require.Contains(t, c.out, "    simrun run consistent-list --cache kep-2340 --set sent-events=share-value --seeds ")
}

// TestCompareVariants: an option on top of a design is one side, and its commands show it.
func TestCompareVariants(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("compare", "kep-2340", "kep-2340+progress-period=20ms", "--etcd", "3.6.16", "--scenarios", "cost-elsewhere", "--seeds", "100"))
	require.Regexp(t, `^kep-2340 and kep-2340\+progress-period=20ms: no claim differs, and \d costs`, c.out)

	require.Equal(t, exitViolated, c.run("compare", "3.5.9", "3.5.9+progress=control-queue", "--scenarios", "issue-15220", "--seeds", "200"))
	require.Contains(t, c.out, "Violated with etcd 3.5.9+progress=control-queue only:\n  issue-15220: linearizable ")
	require.Contains(t, c.out, "    simrun run issue-15220 --etcd 3.5.9 --set progress=control-queue --seeds ")

	// What a saved side has is kept, unless the variant sets it itself.
	require.Equal(t, exitHolds, c.run("compare", "kep-2340+writers=1", "--scenarios", "consistent-list", "--seeds", "50", "--set", "readers=2", "--save", "w.json"), c.out+c.err)
	require.Equal(t, exitHolds, c.run("compare", "w.json", "kep-2340+writers=1"), c.out+c.err)
	require.Contains(t, c.out, "in 1 of them\n  every run is the same to the bit")
	require.NotEqual(t, exitUsage, c.run("compare", "w.json", "kep-2340+readers=1"), c.err)
	require.NotContains(t, c.out, "in 1 of them\n  every run is the same to the bit")
}

// TestCompareTellsOtherStories: both releases send a bookmark too early, each in its own way.
func TestCompareTellsOtherStories(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("compare", "3.5.7", "3.5.12", "--scenarios", "rewatch", "--seeds", "150"))
	require.Regexp(t, `\n  rewatch bookmarkable: the same violation, and other stories: etcd 3\.5\.7 in \d+`, c.out)
	require.Regexp(t, `\n    in stories with etcd 3\.5\.7: etcd the progress request of stream is answered by recvLoop`, c.out)
	require.Regexp(t, `\n    simrun run rewatch --etcd 3\.5\.7 --seeds \d+\.\.\d+\n    simrun run rewatch --etcd 3\.5\.12 --seeds `, c.out)
}

// TestCompareTakesCompiledCode: a program that serves etcd's watches is a side by its own name, and may have patches.
func TestCompareTakesCompiledCode(t *testing.T) {
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		if !strings.HasPrefix(name, "etcd@mine") {
			return nil
		}
		return &testbed.Program{Name: name, Version: "3.5.7"}
	})
	of, err := sideOf("simrun", "etcd@mine+my.patch+notify=1s")
	require.NoError(t, err)
	require.Equal(t, &side{name: "etcd@mine+my.patch+notify=1s", of: matrix.Side{Etcd: "etcd@mine+my.patch"}, settings: option.Settings("notify=1s")}, of)
}

func TestCompareRefuses(t *testing.T) {
	c := command(t)
	require.NoError(t, os.WriteFile("bad.json", []byte("{}"), 0o644))
	c.refuses([]string{"compare what?"}, "compare")
	c.refuses([]string{"two at a time"}, "compare", "3.5.7", "3.5.8", "3.5.9")
	c.refuses([]string{"nothing is called", `did you mean "kep-2340"`, "cache design"}, "compare", "kep-2341")
	c.refuses([]string{`"kubernetes-58545" is a known bug`}, "compare", "kubernetes-58545")
	c.refuses([]string{"cannot read none.json", "no such file"}, "compare", "none.json")
	c.refuses([]string{"bad.json: it is not a saved catalogue"}, "compare", "bad.json")
	c.refuses([]string{`"v0.38.0-alpha.3" is a Kubernetes release; did you mean the design "v0.38.0-alpha.2"?`}, "compare", "v0.37.2", "v0.38.0-alpha.3")
	c.refuses([]string{"a design and a version"}, "compare", "kep-2340", "3.5.7")
	c.refuses([]string{"is there twice"}, "compare", "kep-2340", "kep-2340")
	c.refuses([]string{"--save writes one side"}, "compare", "kep-2340", "direct", "--save", "x.json")
	c.refuses([]string{"--scenarios", `did you mean "issue-15220"`}, "compare", "kep-2340", "--scenarios", "issue-1522")
	c.refuses([]string{"--scenarios", "there twice"}, "compare", "kep-2340", "--scenarios", "rewatch,rewatch")
	c.refuses([]string{"--etcd 3.5.7: etcd 3.5.8 sets that itself"}, "compare", "3.5.8", "--etcd", "3.5.7")
	c.refuses([]string{"--set etcd=3.5.7: give --etcd"}, "compare", "kep-2340", "--set", "etcd=3.5.7")
	c.refuses([]string{"--set", "unknown option"}, "compare", "kep-2340", "--set", "x=1")
	c.refuses([]string{"--cache"}, "compare", "3.5.8", "--cache", "x")
	c.refuses([]string{`nothing is called "kep-234"`, `did you mean "kep-2340"`}, "compare", "kep-234+ring=3")
	c.refuses([]string{"kep-2340+ring: ", "want NAME=VALUE"}, "compare", "kep-2340+ring")
	c.refuses([]string{"kep-2340+rings=3: ", `did you mean "ring"`}, "compare", "kep-2340+rings=3")
	c.refuses([]string{"3.5.8+notify=often: "}, "compare", "3.5.8+notify=often")
	c.refuses([]string{"kep-2340+etcd=3.5.7: etcd cannot be set on top"}, "compare", "kep-2340+etcd=3.5.7")
	c.refuses([]string{"kep-2340+ring=3: ring=4 and ring=3; give one of them"}, "compare", "kep-2340+ring=3", "--set", "ring=4")
	c.refuses([]string{"kep-2340+ring=3 is there twice"}, "compare", "kep-2340+ring=3", "kep-2340+ring=3")
}
