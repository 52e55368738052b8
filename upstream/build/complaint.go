package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// complaint is what the go command says when it fails.
type complaint struct {
	text string
	err  error
}

// Error is the first line that says what is wrong, with the next one if that is a heading.
func (c *complaint) Error() string {
	lines := c.lines()
	switch {
	case len(lines) == 0:
		return c.err.Error()
	case len(lines) > 1 && (strings.HasSuffix(lines[0], ":") || strings.HasSuffix(lines[0], " imports")):
		return lines[0] + " " + lines[1]
	}
	return lines[0]
}

// lines are those that say what is wrong.
func (c *complaint) lines() []string {
	var wrong []string
	for line := range strings.Lines(c.text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading") {
			wrong = append(wrong, line)
		}
	}
	return wrong
}

// compileLog is the file in the folder of a guest that has all that the compiler says.
const compileLog = "compile.log"

// doesNotCompile says in one line what is wrong first, and where all of it is.
func doesNotCompile(name, work string, err error) error {
	var c *complaint
	if !errors.As(err, &c) {
		return fmt.Errorf("%s does not compile: %w", name, err)
	}
	path := filepath.Join(work, compileLog)
	if failed := os.WriteFile(path, []byte(c.text+"\n"), 0o644); failed != nil {
		return fmt.Errorf("%s does not compile: %w", name, err)
	}
	return fmt.Errorf("%s does not compile: %w (line 1 of %d in %s)", name, err, len(c.lines()), path)
}
