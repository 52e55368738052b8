package cache

import "github.com/watchbed/watchbed/sim/dimension"

// Defects are the dimensions in which watch caches were once wrong; the zero
// value is a healthy one.
type Defects struct{}

var defectDimensions = dimension.Table[Options]{}
