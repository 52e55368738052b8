package option

import "fmt"

// Seam is a place where something may differ: a choice among implementations I,
// numbered as values of E. The first one is what is shipped. A package declares
// its seams as variables; another module adds a value with Register and selects
// it by name like any other.
type Seam[E ~uint8, I any] struct {
	name, doc       string
	names           []Value
	implementations []I
}

// NewSeam declares a seam with the name and the sentence of its option.
func NewSeam[E ~uint8, I any](name, doc string) *Seam[E, I] { return &Seam[E, I]{name: name, doc: doc} }

// Shipped registers the first value. It belongs to the declaration of the seam:
// Go initializes variables that call Register in the order in which what they
// depend on is ready, so the first of them need not stay the first value.
func (s *Seam[E, I]) Shipped(value, doc string, implementation I) *Seam[E, I] {
	if len(s.names) > 0 {
		panic("option: " + s.name + " has values before the shipped one")
	}
	s.Register(value, doc, implementation)
	return s
}

// Off says that with a value the code of the option does not run.
func (s *Seam[E, I]) Off(value E) *Seam[E, I] {
	s.names[value].IsOff = true
	return s
}

// Register adds a value with its implementation; call it in package variable
// declarations or init functions only. It panics if there is one of that name.
func (s *Seam[E, I]) Register(value, doc string, implementation I) E {
	for _, v := range s.names {
		if v.Name == value {
			panic(fmt.Sprintf("option: %s has a value %q already", s.name, value))
		}
	}
	s.names = append(s.names, Val(value, doc))
	s.implementations = append(s.implementations, implementation)
	return E(len(s.names) - 1)
}

// Of is the implementation of a value.
func (s *Seam[E, I]) Of(value E) I { return s.implementations[value] }

func (s *Seam[E, I]) list() []Value { return s.names }

// SeamOption is the option that chooses among the values of a seam.
func SeamOption[C any, E ~uint8, I any](s *Seam[E, I], field func(*C) *E) Option[C] {
	return choice(s.name, field, s.doc, s)
}
