package knownbugs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// TestRecordsAreComplete: each bug is an option of a node, and no two are the same
// value. Of each it is known where it shows, and why.
func TestRecordsAreComplete(t *testing.T) {
	planted := map[string]string{}
	for _, b := range testbed.KnownBugs() {
		require.NotEmpty(t, b.Node(), "%s: no node has the option of %s", b.Name, b.Setting)
		require.NotEmpty(t, b.Summary, b.Name)
		require.NotNil(t, b.Scenario, b.Name)
		require.NotNil(t, b.Property, b.Name)
		require.NotEmpty(t, b.Why, b.Name)
		require.Empty(t, planted[b.Setting], "%s is another name for a bug that there is", b.Name)
		planted[b.Setting] = b.Name
	}
	for _, o := range testbed.Describe() {
		for _, v := range o.Values {
			require.True(t, !v.IsBug || planted[o.Name+"="+v.Name] != "", "%s=%s is said to be a bug, and is none that is known", o.Name, v.Name)
		}
	}
}

// TestFixesOfEtcdAreThoseOfTheVersionTable: a record names the releases that brought the
// next value of its option, and none if there is no such release.
func TestFixesOfEtcdAreThoseOfTheVersionTable(t *testing.T) {
	found := 0
	for _, b := range testbed.KnownBugs() {
		if b.Node() != "etcd" {
			continue
		}
		found++
		want := ""
		if fixed := etcd.FixedIn(b.Planting().Name, b.Planting().Value); fixed != nil {
			want = "etcd " + fixed.String()
		}
		require.Equal(t, want, b.FixedIn.String(), b.Name)
		n, err := b.Scenario.Params.Nodes()
		require.NoError(t, err)
		require.NotEqual(t, b.Planting().Value, n.Value(b.Planting().Name), "%s changes nothing", b.Name)
	}
	require.NotZero(t, found)
}

// Each bug of a cache can be planted on top of a healthy one and changes it, and no
// two are the same under two names.
func TestBugsOfCachesAreValuesOfOptions(t *testing.T) {
	planted := map[cache.Options]string{}
	for _, b := range testbed.KnownBugs() {
		require.False(t, b.Issue == "" && b.FixedIn.Of != "", "%s: a fix belongs to an issue", b.Name)
		name, value, _ := strings.Cut(b.Setting, "=")
		if _, err := cache.Group.Find(name); err != nil {
			continue
		}
		o, err := cache.Options{}.With(name, value)
		require.NoError(t, err, b.Name)
		require.NotEqual(t, cache.Options{}, o, b.Name)
		require.Empty(t, planted[o], "%s does what another bug does", b.Name)
		planted[o] = b.Name
	}
	require.Greater(t, len(planted), 15)
}
