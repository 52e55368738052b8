package patches

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// counts are how many lines a change has before and after, as its line @@ -10,6 +10,7 @@ says. One that is written by hand may leave
// them out.
type counts struct {
	given    bool
	old, new int
	// line is that of the @@, text what it says.
	line int
	text string
}

var announced = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

func countsOf(header string, line int) counts {
	m := announced.FindStringSubmatch(header)
	if m == nil {
		return counts{}
	}
	number := func(text string) int {
		if text == "" {
			return 1
		}
		n, _ := strconv.Atoi(text)
		return n
	}
	return counts{true, number(m[1]), number(m[2]), line, m[0]}
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

// more says whether a line behind a full change would be one of it.
func (c *counts) more(line string) bool {
	return c.full() && line != signature && strings.IndexAny(line, " +-") == 0
}

// check says what is wrong where the change ends: it is to have all its lines, and no others.
func (c *counts) check(origin string) error {
	if !c.given || c.old == 0 && c.new == 0 {
		return nil
	}
	return c.unfit(origin)
}

func (c *counts) unfit(origin string) error {
	return fmt.Errorf("%s, line %d: %q does not fit the lines that follow it: part of the patch is missing or was added; leave the numbers out of the @@ if it was written by hand", origin, c.line, c.text)
}
