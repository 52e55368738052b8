package command

import (
	"errors"
	"fmt"
	"io"
)

// output is standard output. It remembers the first error, because most of what a
// command prints is printed without a look at it.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// lost adds to a command's error that its output did not arrive. A violation keeps
// its exit code.
func (o *output) lost(err error) error {
	if o.err == nil || errors.Is(err, o.err) {
		return err
	}
	return errors.Join(err, &exitError{exitUsage, fmt.Errorf("standard output is incomplete: %w", o.err)})
}
