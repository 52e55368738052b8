package command

import (
	"errors"
	"fmt"

	"github.com/watchbed/watchbed/model"
)

// The exit codes.
const (
	exitHolds     = 0
	exitViolated  = 1
	exitUsage     = 2
	exitNoVerdict = 3
)

// exitError ends the command with a code. With a nil err everything was said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit is the error for a verdict, nil if all holds.
func exit(v model.Verdict) error {
	switch v {
	case model.Holds:
		return nil
	case model.Violated:
		return &exitError{code: exitViolated}
	}
	return &exitError{code: exitNoVerdict}
}

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// codeOf is the exit code of an error: anything unexpected is bad input.
func codeOf(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitHolds
	case errors.As(err, &e):
		return e.code
	}
	return exitUsage
}
