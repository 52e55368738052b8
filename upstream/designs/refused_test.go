package designs

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// TestGuestsThatAreRefused: one line says what is wrong with the file of a guest, and what to do.
func TestGuestsThatAreRefused(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("WATCHBED_GUESTS", directory)
	empty := []byte("\x00asm\x01\x00\x00\x00")
	const again = `run "make upstream GUEST=kubernetes@x" again`
	for _, c := range []struct {
		wasm []byte
		want string
	}{
		{nil, "the guest kubernetes@x cannot be read: not a WebAssembly module, or one that was cut off; " + again},
		{empty, fmt.Sprintf("the guest kubernetes@x speaks version 0 of the protocol and this program version %d: ", protocol.Kubernetes) + again},
		{engine.Stamp(empty, 200), fmt.Sprintf("the guest kubernetes@x speaks version 200 of the protocol and this program version %d: ", protocol.Kubernetes) + again},
	} {
		require.NoError(t, os.WriteFile(guests.Path(directory, "kubernetes@x"), c.wasm, 0o644))
		_, err := node.Load("kubernetes@x", protocol.Kubernetes, node.Beginning)
		require.EqualError(t, err, c.want)
	}
	_, err := node.Load("kubernetes@y", protocol.Kubernetes, node.Beginning)
	require.EqualError(t, err, `the guest kubernetes@y is not in `+directory+`: run "make upstream GUEST=kubernetes@y" in the repository`)
	for name, want := range map[string]string{
		"kubernetes@y:lock":        `"kubernetes@y:lock" is no guest: what may stand behind kubernetes@y is :locks, :late or :locks:late`,
		"kubernetes@y:late:locks":  `"kubernetes@y:late:locks" is no guest: what may stand behind kubernetes@y is :locks, :late or :locks:late`,
		"kubernetes@y:locks:locks": `"kubernetes@y:locks:locks" is no guest: what may stand behind kubernetes@y is :locks, :late or :locks:late`,
		"cluster@v3.6.16:late":     `"cluster@v3.6.16:late" is no guest: what may stand behind cluster@v3.6.16 is :locks`,
	} {
		compiled, _ := guests.Scheduled(name)
		if program, err := testbed.FindProgram(name); err == nil {
			require.NotNil(t, program.Cluster)
			compiled, _ = guests.AtLocks(name)
		}
		_, err = node.Load(compiled, protocol.Kubernetes, node.Beginning)
		require.EqualError(t, err, want)
	}
}
