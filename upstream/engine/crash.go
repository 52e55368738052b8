package engine

import (
	"fmt"
	"regexp"
	"strings"
)

// Crash is how a guest came to its end: a panic as a rule.
type Crash struct {
	// Reason is the line that says what happened, Functions are those that were under way in the guest, the
	// innermost first, without those that write a log. Output is all that the guest wrote.
	Reason    string
	Functions []string
	Output    string
}

// maxFunctions is how many are named.
const maxFunctions = 6

func (c *Crash) Error() string { return "the guest crashed: " + c.text() }

// text is the reason, and where it happened.
func (c *Crash) text() string {
	text := c.Reason
	if strings.Contains(c.Reason, "out of memory") || strings.Contains(c.Reason, "cannot allocate memory") {
		text += fmt.Sprintf(" (it may have %d MB)", GuestMemory>>20)
	}
	if len(c.Functions) > 0 {
		text += " (in " + strings.Join(c.Functions, ", called by ") + ")"
	}
	return text
}

// Message is the reason without its kind, and without the fields of a line of a log.
func (c *Crash) Message() string {
	text := strings.TrimPrefix(c.Reason, "panic: ")
	for _, level := range []string{"panic", "fatal"} {
		text = strings.TrimPrefix(text, level+"\t")
	}
	text, _, _ = strings.Cut(text, "\t{")
	return strings.TrimSpace(text)
}

// call is a line of a stack: a function and what it was called with.
var call = regexp.MustCompile(`^([\w./*()\[\]·-]+)\(.*\)$`)

// crash takes apart what a guest wrote before it ended: lines of its log, what happened, and the stack of the
// goroutine that it happened in.
func crash(output string) *Crash {
	c := &Crash{Output: output}
	lines := strings.Split(output, "\n")
	c.Reason = lines[0]
	for i, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			c.Reason, lines = line, lines[i+1:]
			break
		}
	}
	running := false
	for _, line := range lines {
		switch {
		case !running:
			running = strings.HasPrefix(line, "goroutine ")
		case line == "" || len(c.Functions) == maxFunctions:
			return c
		default:
			m := call.FindStringSubmatch(line)
			if m == nil || m[1] == "panic" {
				continue
			}
			if f := m[1][strings.LastIndex(m[1], "/")+1:]; !strings.HasPrefix(f, "zap.") && !strings.HasPrefix(f, "zapcore.") {
				c.Functions = append(c.Functions, f)
			}
		}
	}
	return c
}
