package faults

import (
	"strconv"

	"github.com/watchbed/watchbed/sim/option"
)

// Unbearable are the options of the faults that break what every network promises: an
// event of a stream that lives on is lost. No cache can make up for that, so where
// such a fault is needed for a violation it is the cause.
var Unbearable = []string{"lost-events"}

// Set returns the options that say which faults may strike. The time in which they may
// (faults-for) and the part of an event that is lost (lost) are left out.
func (o *Options) Set() []option.Setting {
	var set []option.Setting
	nothing := Group.Expand(&Options{})
	for i, s := range Group.Expand(o) {
		if s != nothing[i] && s.Name != "faults-for" && s.Name != "lost" {
			set = append(set, s)
		}
	}
	return set
}

// Without is what may break but for the faults of one option.
func (o *Options) Without(name string) (Options, error) {
	option, err := Group.Find(name)
	if err != nil {
		return *o, err
	}
	return o.with(name, option.Get(&Options{}))
}

// Once is what may break with one fault of an option. It reports whether there are
// fewer faults then.
func (o *Options) Once(name string) (once Options, fewer bool) {
	option, err := Group.Find(name)
	if err != nil {
		return *o, false
	}
	if n, err := strconv.Atoi(option.Get(o)); err != nil || n <= 1 {
		return *o, false
	}
	once, err = o.with(name, "1")
	return once, err == nil
}

func (o *Options) with(name, value string) (Options, error) {
	with := *o
	return with, Group.Set(&with, name, value)
}
