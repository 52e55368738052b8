package release_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/release"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]release.Version{
		"3.5.7":          {Major: 3, Minor: 5, Patch: 7},
		"v3.5.7":         {Major: 3, Minor: 5, Patch: 7},
		"3.6.0-rc.1":     {Major: 3, Minor: 6, Pre: true},
		"0.37.2":         {Minor: 37, Patch: 2},
		"3.5.7+git":      {Major: 3, Minor: 5, Patch: 7},
		"3.5.7-rc.0+git": {Major: 3, Minor: 5, Patch: 7, Pre: true},
	} {
		got, err := release.Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "3.5", "3.5.7.1", "3.5.x", "3.-5.7", "3.5.7-", "vv3.5.7", "3.5.70000", " 3.5.7"} {
		_, err := release.Parse(text)
		assert.ErrorContains(t, err, "is not a version such as 3.5.13", text)
	}
}

func TestVersionsAreOrdered(t *testing.T) {
	ordered := []string{"2.9.9", "3.4.9", "3.4.10", "3.5.0-rc.1", "3.5.0", "3.5.1", "3.10.0", "4.0.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			assert.Equal(t, i < j, release.Must(a).Before(release.Must(b)), "%s before %s", a, b)
		}
	}
}

func TestSinceKnowsBranches(t *testing.T) {
	// etcd #20221, which 3.7 never had.
	fixed := release.SinceAll("3.4.38", "3.5.22", "3.6.2")
	for version, want := range map[string]bool{
		"3.4.37": false, "3.4.38": true, "3.5.21": false, "3.5.22": true, "3.6.1": false, "3.6.2": true, "3.7.0": true, "3.3.99": false,
	} {
		assert.Equal(t, want, fixed.Includes(release.Must(version)), version)
	}
	assert.Equal(t, "3.4.38, 3.5.22 and 3.6.2", fixed.String())
	assert.False(t, release.Since(nil).Includes(release.Must("3.7.0")), "never")
}
