package cache

import "github.com/watchbed/watchbed/sim/dimension"

// Dimension is one choice with the value that a design has there.
type Dimension = dimension.Dimension

// Dimensions lists all choices in a fixed order.
func (o Options) Dimensions() []Dimension {
	all := make([]Dimension, len(Choices))
	for i := range Choices {
		all[i] = Dimension{Name: Choices[i].Name, Value: Choices[i].Get(&o)}
		for _, v := range Choices[i].Values() {
			all[i].Values = append(all[i].Values, v.Name)
		}
	}
	return all
}
