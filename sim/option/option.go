// Package option (unstable) is for everything that can be set: a behaviour of etcd, a choice of the
// cache's design, a planted bug, a buffer's size, a number of clients, a budget of faults. All are
// options of one kind, each declared in one line beside the code that it belongs to:
//
//	var Options = option.NewGroup("etcd",
//		option.Choice("created", (*Config).created, "the way of the answer to a create request",
//			option.Val("past-channel", "through ctrlStream: all releases"),
//			option.Val("in-order", "through the watch channel: no release")),
//		option.Count("chan-buf", (*Config).chanBufLen, "128", "responses in a watch channel (chanBufLen)"),
//	)
//
//	Option   a name, what it belongs to, its values or its form, its default, a sentence
//	Group    the options of one kind of node, or of the workload, the faults, the clock
//	Lift     a group as part of a larger configuration
//	Seam     a choice among implementations, to which another module adds its own
//	Preset   a list of settings with a name: an etcd version, a cache design, a bug
//
// A value is always text outside (the command line, recordings, presets) and a
// field of a configuration inside.
//
// The package must never import anything of this module but internal/registry: the
// server, the client library, the cache and the workload each declare options of
// their own and know nothing of each other's.
package option

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/internal/registry"
)

// Option is one thing that can be set in a configuration C.
type Option[C any] struct {
	// Name is what the command line, recordings and presets call it.
	Name string
	// Node is what it belongs to: "etcd", "client", "cache", "clients", "faults",
	// "clock".
	Node string
	// Doc is one sentence.
	Doc string
	// Form is what a value looks like, "a whole number"; empty if Values lists
	// them.
	Form string
	// Default is the value that stands for the node's own, where 0 or nothing is
	// set; empty if the values speak for themselves.
	Default string

	values values
	// undrawn is the reason of Undrawn, for the values named of.
	undrawn   string
	undrawnOf []string
	get       func(*C) string
	set       func(*C, string) error
	// fill sets an amount that is 0 to the Default. It is nil if that is no amount, such as "no limit".
	fill func(*C)
}

// Value is one value of a choice, with a sentence.
type Value struct {
	Name, Doc string
	// IsBug: the value is there for a known bug, which shows that it makes a difference. Values of a seam that
	// known bugs register are not marked: without these they do not exist.
	IsBug bool
	// IsOff: with the value the code of the option does not run. The other values only switch it on.
	IsOff bool
	// Undrawn is why no scenario draws the value, empty if one does.
	Undrawn string
}

// Val is a value with its sentence, short enough for a table of options.
func Val(name, doc string) Value { return Value{Name: name, Doc: doc} }

// Bug is Val of a known bug.
func Bug(name, doc string) Value { return Value{Name: name, Doc: doc, IsBug: true} }

// Off is Val of a value with which the code of the option does not run.
func Off(name, doc string) Value { return Value{Name: name, Doc: doc, IsOff: true} }

// values are those of a choice; another module may add to them at any time
// before a run.
type values interface {
	list() []Value
}

// Values lists the values of a choice, nil for an option of another form.
func (o *Option[C]) Values() []Value {
	if o.values == nil {
		return nil
	}
	all := slices.Clone(o.values.list())
	for i, v := range all {
		if !v.IsBug && (len(o.undrawnOf) == 0 || slices.Contains(o.undrawnOf, v.Name)) {
			all[i].Undrawn = o.undrawn
		}
	}
	return all
}

// Undrawn gives the reason why no scenario draws these values, or any value that is no bug if none is named.
func (o Option[C]) Undrawn(why string, values ...string) Option[C] {
	o.undrawn, o.undrawnOf = why, values
	return o
}

// Get is the present value.
func (o *Option[C]) Get(c *C) string { return o.get(c) }

// Set sets a value. The error is one line that names the option and what it
// takes.
func (o *Option[C]) Set(c *C, value string) error { return o.set(c, value) }

// fixed are the values of a choice that nothing is added to.
type fixed []Value

func (f fixed) list() []Value { return f }

// Choice is an option with named values, numbered in the order given.
func Choice[C any, E ~uint8](name string, field func(*C) *E, doc string, all ...Value) Option[C] {
	return choice(name, field, doc, fixed(all))
}

// Either is a deviation: an option with two named values, of which the second one sets the field.
func Either[C any](name string, field func(*C) *bool, doc string, shipped, deviates Value) Option[C] {
	list := fixed{shipped, deviates}
	o := of(name, field, doc, func(deviating bool) string {
		if deviating {
			return deviates.Name
		}
		return shipped.Name
	}, func(value string) (bool, error) {
		i, err := find(list, name, value)
		return i == 1, err
	})
	o.values = list
	return o
}

func choice[C any, E ~uint8](name string, field func(*C) *E, doc string, all values) Option[C] {
	o := of(name, field, doc, func(x E) string { return all.list()[x].Name }, func(value string) (E, error) {
		i, err := find(all.list(), name, value)
		return E(i), err
	})
	o.values = all
	return o
}

// of is an option of one field. parse returns an error of one line, which leaves the field as it is.
func of[C, T any](name string, field func(*C) *T, doc string, text func(T) string, parse func(value string) (T, error)) Option[C] {
	return Option[C]{
		Name: name, Doc: doc,
		get: func(c *C) string { return text(*field(c)) },
		set: func(c *C, value string) error {
			x, err := parse(value)
			if err == nil {
				*field(c) = x
			}
			return err
		},
	}
}

// describe says what a value looks like, and which one stands for the node's own.
func (o Option[C]) describe(form, zero string) Option[C] {
	o.Form, o.Default = form, zero
	return o
}

// filled is an option of an amount whose Default is a shipped one, if err is nil.
func filled[C any, T int | time.Duration](o Option[C], field func(*C) *T, shipped T, err error) Option[C] {
	if err == nil {
		o.fill = func(c *C) { *field(c) = cmp.Or(*field(c), shipped) }
	}
	return o
}

// find is the number of a value of an option.
func find(list []Value, name, value string) (int, error) {
	i := slices.IndexFunc(list, func(v Value) bool { return v.Name == value })
	if i < 0 {
		return 0, fmt.Errorf("%s has no value %q%s", name, value, registry.Suggest(value, valueNames(list)))
	}
	return i, nil
}

func valueNames(list []Value) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.Name
	}
	return names
}

// MaxCount bounds every number: beyond it a run is no longer one that can be
// explored, and a recording from a stranger must not exhaust memory.
const MaxCount = 10_000_000

// Count is an option with a whole number from 0 to MaxCount.
func Count[C any](name string, field func(*C) *int, zero, doc string) Option[C] {
	number, millions := strings.CutSuffix(zero, " MB")
	shipped, err := strconv.Atoi(number)
	if millions {
		shipped *= 1_000_000
	}
	return filled(of(name, field, doc, strconv.Itoa, func(value string) (int, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > MaxCount {
			return 0, fmt.Errorf("%s=%s: want a whole number from 0 to %d", name, value, MaxCount)
		}
		return n, nil
	}).describe("a whole number", zero), field, shipped, err)
}

// From has a count take nothing below least but 0, which is the node's own: less would be
// no amount that the node can work with.
func (o Option[C]) From(least int) Option[C] {
	set := o.set
	o.Form = fmt.Sprintf("a whole number from %d on", least)
	o.set = func(c *C, value string) error {
		if n, err := strconv.Atoi(value); err == nil && n != 0 && n < least {
			return fmt.Errorf("%s=%s: want a whole number from %d to %d", o.Name, value, least, MaxCount)
		}
		return set(c, value)
	}
	return o
}

const (
	// maxDuration bounds every duration: beyond it a timed run has too many timers to be explored.
	maxDuration = time.Hour
	// minPeriod bounds every period from below: with a shorter one a timed run is made of nothing but its timer.
	minPeriod = time.Millisecond
)

// Duration is an option with a time from 0 to an hour.
func Duration[C any](name string, field func(*C) *time.Duration, zero, doc string) Option[C] {
	return span(name, field, 0, "a duration from 0s to 1h, such as 100ms", zero, doc).describe("a duration", zero)
}

// Period is an option with a time after which something happens again or is given up, from
// a millisecond to an hour. 0 is the node's own, which zero says, such as "100ms".
func Period[C any](name string, field func(*C) *time.Duration, zero, doc string) Option[C] {
	want := "a duration from 1ms to 1h, such as 250ms, or 0s for the default of " + zero
	return span(name, field, minPeriod, want, zero, doc).describe("a duration from 1ms to 1h", zero)
}

func span[C any](name string, field func(*C) *time.Duration, least time.Duration, want, zero, doc string) Option[C] {
	shipped, err := time.ParseDuration(zero)
	return filled(of(name, field, doc, time.Duration.String, func(value string) (time.Duration, error) {
		d, err := time.ParseDuration(value)
		if err != nil || d != 0 && d < least || d > maxDuration {
			return 0, fmt.Errorf("%s=%s: want %s", name, value, want)
		}
		return d, nil
	}), field, shipped, err)
}

// Switch is an option that is true or false.
func Switch[C any](name string, field func(*C) *bool, doc string) Option[C] {
	return of(name, field, doc, strconv.FormatBool, func(value string) (bool, error) {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return false, fmt.Errorf("%s=%s: want true or false", name, value)
		}
		return b, nil
	}).describe("true or false", "")
}

// Text is an option whose values a function checks, such as the name of a
// version; check returns an error of one line.
func Text[C any](name string, field func(*C) *string, check func(string) error, form, doc string) Option[C] {
	return of(name, field, doc, asIs, func(value string) (string, error) { return value, check(value) }).describe(form, "")
}

func asIs(text string) string { return text }

// Words is an option with named values that a configuration keeps as text. Nothing, as a
// configuration has it where none is chosen, stands for the first.
func Words[C any](name string, field func(*C) *string, doc string, all ...Value) Option[C] {
	o := of(name, field, doc, asIs, func(value string) (string, error) {
		if value == "" {
			return "", nil
		}
		_, err := find(all, name, value)
		return value, err
	}).describe("", all[0].Name)
	o.values = fixed(all)
	return o
}

// List is an option with several names, comma separated; check returns an error of
// one line.
func List[C any](name string, field func(*C) *[]string, check func([]string) error, doc string) Option[C] {
	return Canonical(name, field, func(names []string) ([]string, error) { return names, check(names) }, doc)
}

// Canonical is a list of names of which several say the same: form gives the one that is
// kept, or an error of one line.
func Canonical[C any](name string, field func(*C) *[]string, form func([]string) ([]string, error), doc string) Option[C] {
	return of(name, field, doc, func(names []string) string { return strings.Join(names, ",") }, func(value string) ([]string, error) {
		var names []string
		if value != "" {
			names = strings.Split(value, ",")
		}
		return form(names)
	}).describe("names, comma separated", "")
}
