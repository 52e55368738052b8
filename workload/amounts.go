package workload

import (
	"slices"
	"strconv"
)

// amounts are the options that say how many clients there are of each kind, and then how
// much each of them does. What there is before the run is not among them.
var amounts = []string{
	"noise", "own-readers", "watchers", "unversioned-watchers", "present-watchers", "streams", "list-watchers", "pollers",
	"updaters", "drawn-readers", "drawn-clients", "drawn-watchers", "readers", "writers",
	"compactions", "noise-writes", "rounds", "present-watches", "list-rounds", "drawn-requests", "gets", "reads", "updates", "writes",
}

// Amounts are the names of the options that say how much clients do in all.
func Amounts() []string { return slices.Clone(amounts) }

// Less are workloads with a smaller amount, by its name: 0, 1, 2, 4 and so on.
func (o *Options) Less(name string) ([]Options, error) {
	amount, err := Group.Find(name)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(amount.Get(o))
	if err != nil {
		return nil, err
	}
	var less []Options
	for value := 0; value < n; value = max(1, 2*value) {
		with := *o
		if err := amount.Set(&with, strconv.Itoa(value)); err != nil {
			return nil, err
		}
		less = append(less, with)
	}
	return less, nil
}
