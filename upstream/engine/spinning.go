package engine

import (
	"fmt"
	"regexp"
	"strings"
)

// spinning is the crash of a guest that took all rounds of loops that it may (CountLoops).
func spinning(stopped error, most int) *Crash {
	c := &Crash{
		Reason: fmt.Sprintf("it spins: %d rounds of loops in one step, and it does not wait", most),
		Output: stopped.Error(),
	}
	for line := range strings.Lines(c.Output) {
		if m := compiled.FindStringSubmatch(line); m != nil && len(c.Functions) < maxFunctions {
			c.Functions = append(c.Functions, receiver.ReplaceAllString(m[1], ".(*$1)."))
		}
	}
	return c
}

// compiled is a line of wazero's stack: a function of Go without the path of its package. The Go linker writes a low
// line for all that is no letter, digit or dot. receiver is what it has made of a pointer to a type.
var (
	compiled = regexp.MustCompile(`^\s*\.(?:[\w.]*_)?([a-zA-Z0-9]+\.[\w.]+)\(i32\)`)
	receiver = regexp.MustCompile(`\.__(\w+?)_\.`)
)
