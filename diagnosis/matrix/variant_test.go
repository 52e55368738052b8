package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/option"
)

// TestANameMayHaveAPlus: compiled code with a patch is one name, and settings stand behind it.
func TestANameMayHaveAPlus(t *testing.T) {
	for label, want := range map[string][]option.Setting{
		"kep-2340":                             {{Name: "etcd", Value: "kep-2340"}},
		"kep-2340+ring=10":                     {{Name: "etcd", Value: "kep-2340"}, {Name: "ring", Value: "10"}},
		"kubernetes@v0.37.2+116172":            {{Name: "etcd", Value: "kubernetes@v0.37.2+116172"}},
		"etcd@v3.6.16+a.patch+b.patch":         {{Name: "etcd", Value: "etcd@v3.6.16+a.patch+b.patch"}},
		"etcd@v3.6.16+a.patch+notify=1s+x=2":   {{Name: "etcd", Value: "etcd@v3.6.16+a.patch"}, {Name: "notify", Value: "1s"}, {Name: "x", Value: "2"}},
		"kubernetes@v0.37.2:locks:late+ring=3": {{Name: "etcd", Value: "kubernetes@v0.37.2:locks:late"}, {Name: "ring", Value: "3"}},
	} {
		got, err := readVariant("etcd", label)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := readVariant("cache", "kep-2340+ring=10+116172")
	require.EqualError(t, err, `kep-2340+ring=10+116172: "116172": want NAME=VALUE`)
}
