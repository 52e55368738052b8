package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/watchbed/watchbed/upstream/guests"
)

// claim has the name of a guest stand for what it is made from, before anything is compiled: two folders or patches of
// one name would take each other's place. The file that says so is there with its text, or not at all, whenever the
// program is killed.
func (s *source) claim(directory string) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	path := guests.OriginPath(directory, s.name)
	written, err := os.CreateTemp(directory, s.name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(written.Name())
	_, err = written.WriteString(s.origin + "\n")
	if err := errors.Join(err, written.Close()); err != nil {
		return err
	}
	if err := os.Link(written.Name(), path); !errors.Is(err, fs.ErrExist) {
		// What a guest is made from that is there without this file is not known.
		return errors.Join(err, os.RemoveAll(guests.Path(directory, s.name)))
	}
	was, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if was := strings.TrimSpace(string(was)); was != s.origin {
		return fmt.Errorf("the guest %s is made from %s, and would be replaced by that of %s: rename one of them, or remove %s",
			s.name, was, s.origin, path)
	}
	return nil
}
