package matrix

import (
	"github.com/watchbed/watchbed/diagnosis/variant"
	"github.com/watchbed/watchbed/sim/option"
)

// OwnOptions are those that no setting of a matrix may change.
var OwnOptions = []string{"etcd", "cache", "steps"}

// pair is a cell: a design on a version, with all that is set for it.
type pair struct {
	design, version string
	settings        []option.Setting
}

// pairOf joins what a matrix sets everywhere with what a version and a design have. The
// error names an option that two of them set differently.
func (cfg *Config) pairOf(version, design string) (pair, error) {
	of, err := variant.Read(version, OwnOptions)
	if err != nil {
		return pair{}, err
	}
	with, err := variant.Read(design, OwnOptions)
	if err != nil {
		return pair{}, err
	}
	settings, err := variant.Join(design+" on "+version, cfg.Params, of.Settings, with.Settings)
	return pair{with.Name, of.Name, settings}, err
}
