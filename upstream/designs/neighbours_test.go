package designs

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/option"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
)

// TestNeighboursAreWhatCanStandIn: the guest without its patches, and releases; not other changes, other programs, and
// what cannot be used.
func TestNeighboursAreWhatCanStandIn(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("WATCHBED_GUESTS", directory)
	for _, name := range []string{"etcd@v3.5.7", "etcd@v3.5.12", "etcd@v3.6.16", "etcd@v3.6.16+a", "etcd@v3.6.16+a+b", "etcd@mine", "kubernetes@v0.37.2"} {
		require.NoError(t, os.WriteFile(guests.Path(directory, name), nil, 0o644))
	}
	of := func(name string) *guest {
		return &guest{func() (*engine.Module, error) {
			if name == "etcd@v3.5.12" {
				return nil, errors.New("speaks another version of the protocol")
			}
			return nil, nil
		}}
	}
	require.Equal(t, []option.Neighbour{{Name: "etcd@v3.5.7:locks"}, {Name: "etcd@v3.6.16:locks", Without: "the patch a and the patch b"}},
		neighbours("etcd@v3.6.16+a+b", ":locks", of))
	require.Equal(t, []option.Neighbour{{Name: "etcd@v3.6.16"}}, neighbours("etcd@v3.5.7", "", of))
	require.Equal(t, []option.Neighbour{{Name: "etcd@v3.5.7"}, {Name: "etcd@v3.6.16"}}, neighbours("etcd@mine", "", of))
}
