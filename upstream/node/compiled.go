package node

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/watchbed/watchbed/upstream/guests"
)

// compiled is the folder with what the engine has made of a guest, about 150 MB. What it has made of the guest as it
// was before that was compiled again is of no use any more, and is taken away.
func compiled(directory, name string) (string, error) {
	folder, path := filepath.Join(directory, "compiled", name), guests.Path(directory, name)
	guest, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	// Two builds have the same only if they are the same to the nanosecond.
	stamp, kept := fmt.Sprintf("%d bytes of %d\n", guest.Size(), guest.ModTime().UnixNano()), filepath.Join(folder, "guest")
	if text, err := os.ReadFile(kept); err == nil && string(text) == stamp {
		return folder, nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("what an older guest was compiled to cannot be taken away: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("compiled guests cannot be kept: %w", err)
	}
	if err := os.WriteFile(kept, []byte(stamp), 0o644); err != nil {
		return "", fmt.Errorf("compiled guests cannot be kept: %w", err)
	}
	return folder, nil
}
