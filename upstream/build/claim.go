package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/watchbed/watchbed/upstream/guests"
)

// claim has the name of a guest stand for what it is made from. Two folders or patches of one name would take each other's place, and
// the second is refused as long as the guest of the first is there.
func (s *source) claim(directory string) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	path := guests.OriginPath(directory, s.name)
	was, err := os.ReadFile(path)
	if _, compiled := os.Stat(guests.Path(directory, s.name)); err == nil && compiled == nil && strings.TrimSpace(string(was)) != s.origin {
		return fmt.Errorf("the guest %s is made from %s, and would be replaced by that of %s: rename one of them, or remove %s",
			s.name, strings.TrimSpace(string(was)), s.origin, guests.Path(directory, s.name))
	}
	return os.WriteFile(path, []byte(s.origin+"\n"), 0o644)
}
