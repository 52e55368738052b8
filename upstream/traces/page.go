package traces

import (
	"fmt"
	"strings"
)

// Listed are the traces of a world on a page. Without traces it is left out.
type Listed struct {
	World  string
	Traces []string
}

// List writes a section of a page with the traces of all worlds.
func List(b *strings.Builder, title string, all []Listed) {
	fmt.Fprintf(b, "\n## %s\n", title)
	none := true
	for _, l := range all {
		if len(l.Traces) == 0 {
			continue
		}
		none = false
		fmt.Fprintf(b, "\n%s:\n\n", l.World)
		for _, t := range l.Traces {
			fmt.Fprintf(b, "    %s\n", t)
		}
	}
	if none {
		b.WriteString("\nNone.\n")
	}
}

// Are says how many there are, behind "There".
func Are(n int) string {
	switch n {
	case 0:
		return "are none"
	case 1:
		return "is 1"
	}
	return fmt.Sprintf("are %d", n)
}
