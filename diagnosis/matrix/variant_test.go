package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/option"
)

// TestANameMayHaveAPlus: compiled code with a patch is one name, and settings stand behind it.
func TestANameMayHaveAPlus(t *testing.T) {
	for label, want := range map[string]Variant{
		"kep-2340":                             {Name: "kep-2340"},
		"kep-2340+ring=10":                     {"kep-2340", option.Settings("ring=10")},
		"kubernetes@v0.37.2+116172":            {Name: "kubernetes@v0.37.2+116172"},
		"etcd@v3.6.16+a.patch+b.patch":         {Name: "etcd@v3.6.16+a.patch+b.patch"},
		"etcd@v3.6.16+a.patch+notify=1s+x=2":   {"etcd@v3.6.16+a.patch", option.Settings("notify=1s", "x=2")},
		"kubernetes@v0.37.2:locks:late+ring=3": {"kubernetes@v0.37.2:locks:late", option.Settings("ring=3")},
	} {
		got, err := readVariant(label, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := readVariant("kep-2340+ring=10+116172", nil)
	require.EqualError(t, err, `kep-2340+ring=10+116172: "116172": want NAME=VALUE`)
}
