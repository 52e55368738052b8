package recording_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
)

// TestSweepLeavesWhatIsInUse: the half file of a process that has ended goes, and the folder
// once it is empty.
func TestSweepLeavesWhatIsInUse(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, ended.Run())
	dir := filepath.Join(t.TempDir(), "unshrunk")
	require.NoError(t, os.Mkdir(dir, 0o777))
	file := func(name string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		return path
	}
	left := file(fmt.Sprintf(".part-%d-1", ended.Process.Pid))
	writes, run := file(fmt.Sprintf(".part-%d-1", os.Getpid())), file("a.json")
	recording.Sweep(dir)
	require.NoFileExists(t, left)
	require.FileExists(t, writes, "the process that writes it goes on")
	require.FileExists(t, run)

	require.NoError(t, os.Remove(writes))
	require.NoError(t, os.Remove(run))
	recording.Sweep(dir)
	require.NoDirExists(t, dir)
	recording.Sweep(dir)

	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	recording.Sweep(dir)
	require.FileExists(t, dir, "it is no folder")
}
