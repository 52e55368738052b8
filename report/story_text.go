// Package report (unstable) renders what package diagnosis and its sub-packages
// computed: as text for a terminal, as a page for a browser, as JUnit and as
// JSON.
//
//	WriteStory, WriteSummary, WriteMatrix, WriteCompared, WriteProof   text, laid out by Page
//	WriteRunHTML, WriteHistoryHTML, WriteMatrixHTML, WriteProofHTML    pages that need nothing from elsewhere
//	WriteJUnit, WriteJSON                                              for other tools
//
// It computes nothing that another reader would want, and runs nothing. It must
// never import a command, read flags, or end the process.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// WriteStory tells how a run fails: its story, why it is a violation, and which
// behaviour decides.
func WriteStory(w io.Writer, o Terminal, d *diagnosis.Diagnosis) error {
	_, err := io.WriteString(w, storyText(o, d, 0, true))
	return err
}

// leastTold is how many steps of a story are told at each of its ends, however little
// room there is.
const leastTold = 2

// ShortStory is WriteStory in at most so many lines, as far as that goes: what is switched
// off is left out first, then the steps in the middle. A step near the end says more than
// one at the beginning.
func ShortStory(o Terminal, d *diagnosis.Diagnosis, lines int) string {
	text := storyText(o, d, 0, true)
	for hidden := 0; strings.Count(text, "\n") > lines && hidden <= len(d.Story.Lines)-2*leastTold; hidden++ {
		text = storyText(o, d, hidden, false)
	}
	if all := strings.SplitAfter(text, "\n"); len(all) > lines+1 {
		text = strings.Join(all[:lines], "")
	}
	return text
}

// storyText is the story without so many of its steps.
func storyText(o Terminal, d *diagnosis.Diagnosis, hidden int, masked bool) string {
	s := d.Story
	p := &Page{To: o}
	p.WriteString("|" + o.Bold(s.Title) + "\n\n")
	// Two thirds of the steps that are told are those at the end.
	gap := max(leastTold, (len(s.Lines)-hidden)/3)
	for i, l := range s.Lines {
		if hidden > 0 && i == gap {
			p.Row(number(""), o.Faint("..."), o.Faint(Counted(uint64(hidden), "step")+" left out"))
		}
		if i < gap || i >= gap+hidden {
			p.Row(number(o.Faint(s.When(l))), l.Node, l.Text)
		}
	}
	p.WriteString("\n")
	for _, text := range []string{s.Why, d.Cause()} {
		if text != "" {
			p.Line(0, "<%s", text)
		}
	}
	if text := sayMasked(o.program(), s.Masked, s.Settings); masked && text != "" {
		p.Line(0, "<%s", o.Faint(text))
	}
	return p.laidOut()
}

// sayMasked says which races are switched off, which scenario shows them, and what the
// scenario sets. It is empty if there is nothing to say.
func sayMasked(program string, masked, settings []string) string {
	var sentences []string
	for _, r := range testbed.Races() {
		if slices.Contains(masked, r.String()) {
			sentences = append(sentences, "One known race that every etcd release has is switched off here, so that it does not hide others: "+r.What+".", "`"+program+" run "+r.Scenario+"` shows it.")
		}
	}
	if len(settings) > 0 {
		sentences = append(sentences, "Set on top of version and design: "+strings.Join(settings, ", ")+".")
	}
	return strings.Join(sentences, " ")
}

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

// Terminal is what text is written to.
type Terminal struct {
	// Width in columns; 0 stands for 100.
	Width int
	Color bool
	// Program is the name with which commands in the text begin; empty is simrun.
	Program string
}

func (o Terminal) program() string { return cmp.Or(o.Program, "simrun") }

func (o Terminal) width() int {
	switch {
	case o.Width == 0:
		return 100
	case o.Width < 30:
		return 30
	}
	return o.Width
}

// Bold and Faint paint a text that stands out, or that does not.
func (o Terminal) Bold(s string) string  { return o.paint("1", s) }
func (o Terminal) Faint(s string) string { return o.paint("2", s) }

// Verdict paints a text in the colour of a verdict.
func (o Terminal) Verdict(verdict, text string) string {
	switch verdict {
	case model.Holds.String(), "proved":
		return o.paint("32", text)
	case model.Violated.String():
		return o.paint("31;1", text)
	}
	return text
}

func (o Terminal) paint(code, s string) string {
	if !o.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Wrap breaks a text between words to fit the terminal; lines after the first are
// indented. The first is taken to begin at the indentation, too.
func (o Terminal) Wrap(text string, indent int) string { return wrap(text, o.width(), indent) }

// wrap breaks a text between words; lines after the first are indented. The
// first is taken to begin at the indentation, too.
func wrap(text string, columns, indent int) string {
	room := max(20, columns-indent)
	var b strings.Builder
	column := 0
	for i, word := range words(text, room) {
		space := 1
		if word.joined {
			space = 0
		}
		n := width(word.text)
		switch {
		case i == 0:
		case column+space+n > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = 0
		default:
			b.WriteString(strings.Repeat(" ", space))
			column += space
		}
		b.WriteString(word.text)
		column += n
	}
	return b.String()
}

// word is what a line does not break.
type word struct {
	text string
	// joined: no space is before it.
	joined bool
}

// words are those of a text. A list without spaces that is longer than a line is
// several: a line may end behind each comma.
func words(text string, room int) []word {
	var all []word
	for _, field := range strings.Fields(text) {
		if utf8.RuneCountInString(field) <= room {
			all = append(all, word{text: field})
			continue
		}
		for i, part := range strings.SplitAfter(field, ",") {
			all = append(all, word{part, i > 0})
		}
	}
	return all
}

// sentence gives a text a capital letter and a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// Spelt writes text, with the characters spelt out that change the direction of what stands around them. Names
// and values come from files of strangers, and a text with such a character reads as another one.
type Spelt struct {
	To io.Writer
	// begun are the bytes of a character whose rest was not written yet.
	begun []byte
}

func (s *Spelt) Write(b []byte) (int, error) {
	text := b
	if len(s.begun) > 0 {
		text = append(s.begun, b...)
		s.begun = nil
	}
	last := len(text) - 1
	for last > len(text)-utf8.UTFMax && last > 0 && !utf8.RuneStart(text[last]) {
		last--
	}
	if last >= 0 && !utf8.FullRune(text[last:]) {
		s.begun, text = append(s.begun, text[last:]...), text[:last]
	}
	_, err := s.To.Write(spellOut(text, `\`))
	return len(b), err
}

// spellOut gives each of these characters as JSON and Go write it, behind a backslash: JSON stays what it is.
func spellOut(text []byte, backslash string) []byte {
	var out []byte
	from := 0
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if unicode.Is(unicode.Bidi_Control, r) {
			out = fmt.Appendf(append(out, text[from:at]...), "%su%04x", backslash, r)
			from = at + n
		}
		at += n
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}
