package faults

import "github.com/watchbed/watchbed/sim/option"

// Unbearable are the options of the faults that break what every network promises: an
// event of a stream that lives on is lost. No cache can make up for that, so where
// such a fault is needed for a violation it is the cause.
var Unbearable = []string{"lost-events"}

// Set are the options of what may break, without how long it may.
func (o *Options) Set() []option.Setting {
	var set []option.Setting
	nothing := Group.Expand(&Options{})
	for i, s := range Group.Expand(o) {
		if s != nothing[i] && s.Name != "faults-for" {
			set = append(set, s)
		}
	}
	return set
}

// Without is what may break but for the faults of one option.
func (o *Options) Without(name string) (Options, error) {
	without := *o
	option, err := Group.Find(name)
	if err != nil {
		return without, err
	}
	return without, option.Set(&without, option.Get(&Options{}))
}
