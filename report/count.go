package report

import (
	"strconv"
	"strings"
)

// grouped writes a count with commas, such as 13,195.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted is a count with its noun, in the plural unless it is one.
func Counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// times is "once", or how many times.
func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return Counted(n, "time")
}

// InWords is "a, b and c".
func InWords(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
