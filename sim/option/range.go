package option

// Range is an option with the values from which a setting of it is drawn.
type Range struct {
	Name   string
	Values []string
}

// From is a range with these values.
func From(name string, values ...string) Range { return Range{Name: name, Values: values} }
