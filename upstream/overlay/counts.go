package overlay

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// counts are how many lines a change has before and after, as its line @@ -10,6 +10,7 @@ says. One that is written by
// hand may leave them out.
type counts struct {
	given    bool
	old, new int
	// line is that of the @@, text what it says, of the change of a file.
	line int
	text string
	file string
}

var (
	announced = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)
	// bare is a line without numbers.
	bare = regexp.MustCompile(`^@@(\s+[^-\s].*)?\s*$`)
)

func countsOf(header, file, origin string, line int) (counts, error) {
	m := announced.FindStringSubmatch(header)
	if m == nil && !bare.MatchString(header) {
		return counts{}, fmt.Errorf("%s, line %d: %q begins a change of %s, and is to be like @@ -10,6 +10,7 @@, or @@ alone", origin, line, strings.TrimSpace(header), file)
	}
	if m == nil {
		return counts{}, nil
	}
	number := func(text string) int {
		if text == "" {
			return 1
		}
		n, _ := strconv.Atoi(text)
		return n
	}
	return counts{true, number(m[1]), number(m[2]), line, m[0], file}, nil
}

// full reports whether the change has all its lines.
func (c *counts) full() bool { return c.given && c.old <= 0 && c.new <= 0 }

// wants reports whether the change has lines to come, whatever they look like.
func (c *counts) wants() bool { return c.given && !c.full() }

// took counts a line of the change.
func (c *counts) took(line string) {
	switch {
	case line == "" || line[0] == '\\':
	case line[0] == '-':
		c.old--
	case line[0] == '+':
		c.new--
	default:
		c.old--
		c.new--
	}
}

// more says whether the first of these lines behind a full change would be one of it. An empty one may stand between
// two files.
func (c *counts) more(lines []string) bool {
	if lines[0] == "\n" {
		return c.full() && len(lines) > 1 && strings.HasPrefix(lines[1], "@@")
	}
	return c.full() && lines[0] != signature && strings.IndexAny(lines[0], " +-") == 0
}

// ends says whether these lines are behind a change, whatever its numbers say: the next one, another file, or the
// signature.
func ends(lines []string) bool {
	return strings.HasPrefix(lines[0], "@@") || strings.HasPrefix(lines[0], "diff ") || lines[0] == signature ||
		len(lines) > 2 && strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ") && strings.HasPrefix(lines[2], "@@")
}

// check says what is wrong where the change ends: it is to have all its lines, and no others.
func (c *counts) check(origin string) error {
	if !c.given || c.old == 0 && c.new == 0 {
		return nil
	}
	return c.unfit(origin)
}

func (c *counts) unfit(origin string) error {
	return fmt.Errorf("%s, line %d: %q of %s does not fit the lines that follow it: part of the patch is missing or was added; leave the numbers out of the @@ if it was written by hand", origin, c.line, c.text, c.file)
}
