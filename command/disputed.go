package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// kept is the error of a command. A history on which two checkers disagree is kept in dir: it has no verdict.
func (s process) kept(dir string, err error) error {
	d := new(explore.Disputed)
	if !errors.As(err, &d) {
		return err
	}
	path, lost := keepHistory(dir, d.History)
	if lost != nil {
		return errors.Join(usage("%w", err), usage("cannot keep the history under %s: %w", dir, withoutPath(lost)))
	}
	return usage("%w: %s check %s reads it", err, s.program, recording.ShellWord(path))
}

// keepHistory writes a history to a file of its own.
func keepHistory(dir string, h *model.History) (path string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		path = filepath.Join(dir, fmt.Sprintf("disputed-history-%d.jsonl", i))
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := errors.Join(history.Write(file, h), file.Close()); err != nil {
			// Half a history would be read as a whole one.
			return "", errors.Join(err, os.Remove(path))
		}
		return path, nil
	}
}
