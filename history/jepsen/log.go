package jepsen

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The levels that Jepsen's logger writes: the first word of a line on the console, and the
// second column of jepsen.log.
var levels = []string{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"}

// operations is the name under which Jepsen logs what its processes do.
const operations = "jepsen.util"

// isLogged reports whether Jepsen's logger has written a line.
func isLogged(line string) bool {
	if level, _, _ := strings.Cut(line, " "); slices.Contains(levels, level) {
		return true
	}
	columns := strings.SplitN(line, "\t", 3)
	return len(columns) == 3 && slices.Contains(levels, columns[1])
}

// operationOf is what a line of a log says of an operation: its columns. It is empty if the
// line is about something else, such as a database that is installed, or part of a stack trace.
func operationOf(line string) string {
	if !isLogged(line) {
		return ""
	}
	_, rest, found := strings.Cut(line, operations)
	if !found {
		return ""
	}
	// "jepsen.util - 0", "jepsen worker 0 - jepsen.util 0", and "[jepsen worker 0] jepsen.util: 0".
	rest = strings.TrimLeft(strings.TrimPrefix(rest, ":"), " -")
	if columns := strings.Fields(rest); len(columns) < 2 || !slices.Contains(types, columns[1]) {
		return ""
	}
	return rest
}

// types are those of a line about an operation.
var types = []string{":invoke", ":ok", ":fail", ":info"}

// areColumns reports whether a line is of Jepsen's history.txt, or of a log without what the
// logger adds.
func areColumns(line string) bool {
	columns := strings.Split(line, "\t")
	return len(columns) >= 3 && strings.HasPrefix(columns[1], ":") && strings.HasPrefix(columns[2], ":")
}

// readColumns reads process, type, f, value and error. Logs that people have edited have
// spaces in the place of tabs.
func readColumns(line string) (entry, error) {
	rest := line
	var columns [3]string
	for i := range columns {
		rest = strings.TrimLeft(rest, " \t")
		end := strings.IndexAny(rest, " \t")
		if end < 0 {
			return entry{}, errors.New("want the columns process, type, f and value, such as 0, :invoke, :write and 3")
		}
		columns[i], rest = rest[:end], rest[end:]
	}
	if columns[0][0] == ':' {
		columns[0] = columns[0][1:]
	}
	e := entry{process: columns[0], kind: strings.TrimPrefix(columns[1], ":"), f: strings.TrimPrefix(columns[2], ":")}
	p := parser{in: rest}
	var err error
	if e.value, err = p.value(0); err != nil {
		return e, err
	}
	if p.space(); p.at == len(p.in) {
		return e, nil
	}
	if e.failed, err = p.value(0); err != nil {
		return e, err
	}
	if p.space(); p.at < len(p.in) {
		return e, fmt.Errorf("more than process, type, f, value and error: %q follows", shorten(p.in[p.at:]))
	}
	return e, nil
}
