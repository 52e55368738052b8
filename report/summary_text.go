package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

// WriteSummary writes what held, what did not, and what it took.
func WriteSummary(w io.Writer, o Terminal, s *summary.Summary) error {
	return writeText(w, o, "summary", s)
}

// Subject is the versions, the design and the bugs. The client is empty if it is that of
// the server's release.
func Subject(etcd, client, cache string, bugs []string) string {
	text := etcd
	if !strings.Contains(etcd, "@") {
		text = "etcd " + etcd
	}
	if client != "" {
		text += ", client " + client
	}
	text += ", cache design " + cache
	if len(bugs) > 0 {
		text += ", with " + strings.Join(bugs, " and ")
	}
	return text
}

// histories says who judged them: of the properties that are judged by histories.
func histories(s *summary.Summary) (text string) {
	for _, name := range s.Claims {
		if p := s.Properties[name]; p.Porcupine+p.Witness > 0 {
			text += fmt.Sprintf(" For %s porcupine judged %s of %s histories, the witness alone %s.", name, grouped(p.Porcupine), grouped(p.Porcupine+p.Witness), grouped(p.Witness))
		}
	}
	return text
}

// seeds are those of a campaign, and its draws.
func seeds(s *summary.Summary) string {
	text := fmt.Sprintf("seeds %d to %d", s.FirstSeed, s.FirstSeed+s.Schedules-1)
	if s.Schedules == 1 {
		text = fmt.Sprintf("seed %d", s.FirstSeed)
	}
	if s.Draws != "" {
		text += ", draws " + strings.Replace(s.Draws, "..", " to ", 1)
	}
	return text
}

// pace says how long it took, and how many choices a second that is. Of a campaign
// that is over at once it says nothing.
func pace(s *summary.Summary) string {
	if s.Seconds < 0.01 {
		return ""
	}
	rate := float64(s.Choices) / s.Seconds
	if rate < 1e5 {
		return fmt.Sprintf(" in %.2f s, %s a second", s.Seconds, grouped(uint64(rate)))
	}
	return fmt.Sprintf(" in %.2f s, %.1f million a second", s.Seconds, rate/1e6)
}
