package explain

// Explanation says what a name means as one kind of thing.
type Explanation struct {
	// Kind is "scenario", "option", "value", "known bug", "cache design",
	// "etcd release", "property", "violation", "strategy", "metric", "finding" or
	// "options of".
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Summary is one line, Doc is more about it; empty if there is no more.
	Summary string `json:"summary"`
	Doc     string `json:"doc,omitempty"`
	Facts   []Fact `json:"facts"`
	// Scenario has a scenario's facts with a field for each.
	Scenario *Scenario `json:"-"`
}

// Fact is something about a name: a label, and what is to be said.
type Fact struct {
	Label string `json:"label"`
	Items []Item `json:"items"`
	// below: the lines of an item begin below its name, however short that is.
	below bool
}

// Item is a paragraph, or several, of a fact. Name is what they are about; empty if
// it is the name that is explained.
type Item struct {
	Name  string   `json:"name,omitempty"`
	Lines []string `json:"lines"`
}

// say adds a fact of one paragraph, unless there is nothing to say.
func (e *Explanation) say(label, text string) {
	if text != "" {
		e.Facts = append(e.Facts, Fact{Label: label, Items: []Item{{Lines: []string{text}}}})
	}
}

// list adds a fact of several items, unless there are none.
func (e *Explanation) list(label string, items []Item) {
	if len(items) > 0 {
		e.Facts = append(e.Facts, Fact{Label: label, Items: items})
	}
}

// listBelow is list for items of which each is a text of its own.
func (e *Explanation) listBelow(label string, items []Item) {
	e.list(label, items)
	if len(items) > 0 {
		e.Facts[len(e.Facts)-1].below = true
	}
}
