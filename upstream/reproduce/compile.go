package main

import (
	"context"
	"os"
	"os/exec"

	"github.com/watchbed/watchbed/upstream/guests"
)

// compile has the guest of a name compiled if it is not there.
func compile(ctx context.Context, name string) error {
	directory, err := guests.Directory()
	if err != nil {
		return err
	}
	if _, err := os.Stat(guests.Path(directory, name)); err == nil {
		return nil
	}
	c := exec.CommandContext(ctx, "go", "run", "./build", name)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}
