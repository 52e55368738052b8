package knownbugs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// Each bug of a cache can be planted on top of a healthy one and changes it, and no
// two are the same under two names.
func TestBugsOfCachesAreValuesOfOptions(t *testing.T) {
	planted := map[cache.Options]string{}
	for _, b := range testbed.KnownBugs() {
		require.False(t, b.Issue == "" && b.FixedIn != "", "%s: a fix belongs to an issue", b.Name)
		name, value, ok := strings.Cut(b.Setting, "=")
		if !ok {
			continue
		}
		if _, err := cache.Group.Find(name); err != nil {
			continue
		}
		require.NotEmpty(t, b.Summary, b.Name)
		o, err := cache.Options{}.With(name, value)
		require.NoError(t, err, b.Name)
		require.NotEqual(t, cache.Options{}, o, b.Name)
		require.Empty(t, planted[o], "%s is another name for a bug that there is", b.Name)
		planted[o] = b.Name
	}
	require.Greater(t, len(planted), 15)
}
