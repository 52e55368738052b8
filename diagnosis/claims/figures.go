package claims

// Verdict is what the bed says of a figure.
type Verdict string

// A figure that is Adopted is a choice of its document: the bed takes it over, and
// there is nothing to bear out. One that is NotMeasurable is about something that does
// not exist here, such as a processor in virtual time.
const (
	BorneOut      Verdict = "borne out"
	Contradicted  Verdict = "contradicted"
	Adopted       Verdict = "adopted"
	NotMeasurable Verdict = "not measurable here"
)

// Figure is a number in one of the documents, and what the bed has beside it.
type Figure struct {
	Document, Section, Says string
	Verdict                 Verdict
	// Measured is what is measured, or where the bed has the number.
	Measured string
	Why      string
	// Command measures it again; it is empty where nothing is measured.
	Command string
}

// said is a figure as the document has it. The campaigns of the claims with the same
// words measure it; a figure without any is judged by hand.
type said struct {
	section, says string
	byHand        Figure
}

// Figures are all numbers of the documents, in their order, with these results of the
// claims. A figure that is measured under several conditions comes once for each.
func Figures(results []Result) []Figure {
	var all []Figure
	for _, d := range documents {
		for _, s := range d.says {
			all = append(all, s.figures(d.name, results)...)
		}
	}
	return all
}

func (s *said) figures(document string, results []Result) []Figure {
	var all []Figure
	for i := range results {
		r := &results[i]
		if r.Document != document || r.Says != s.says {
			continue
		}
		f := Figure{Document: document, Section: s.section, Says: s.says, Verdict: Contradicted, Measured: r.Where + ": " + r.Measured, Why: r.Why, Command: r.Command}
		if r.BorneOut {
			f.Verdict = BorneOut
		}
		all = append(all, f)
	}
	if len(all) > 0 || s.byHand.Verdict == "" {
		return all
	}
	f := s.byHand
	f.Document, f.Section, f.Says = document, s.section, s.says
	return []Figure{f}
}

// A figure that campaigns measure.
func claimed(section, says string) said { return said{section: section, says: says} }

// A figure that the bed takes over, and where it has it.
func adopted(section, says, where string) said {
	return said{section, says, Figure{Verdict: Adopted, Measured: where}}
}

// A figure about what does not exist here.
func beyond(section, says, why string) said {
	return said{section, says, Figure{Verdict: NotMeasurable, Why: why}}
}

// A figure that something else than a campaign measures: a test, or a benchmark on
// real servers.
func elsewhere(section, says string, v Verdict, text, why, command string) said {
	return said{section, says, Figure{Verdict: v, Measured: text, Why: why, Command: command}}
}
