package clientv3

import (
	"fmt"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
)

// change is something that releases brought, with the values that options have
// from then on.
type change struct {
	since    release.Since
	settings []option.Setting
}

// oldest is what 3.3.14 had where it is not the first value of an option.
var oldest = option.Settings("resume-revision=at-header")

// changes are all that is known. Read in the sources of 3.3.14, 3.3.27, 3.4.0, 3.4.24, 3.4.25, 3.4.31,
// 3.5.7, 3.5.8, 3.5.12, 3.5.13, 3.5.35, 3.6.16 and 3.7.3: nothing else differs in the
// watch path. 3.7.0 brought GetStream, which etcd3 calls if its gate is on (etcd3.GatesOf).
var changes = []change{
	{release.SinceAll("3.4.24", "3.5.8"), option.Settings("resume-revision=after-header")},
}

// The releases that are known. 3.3.14 brought RequestProgress: an API server that calls it
// cannot be built with an earlier one.
var first, last = release.Must("3.3.14"), release.Must("3.7.0")

// OfServer is the release of clientv3 that goes with a release of the server: its own, or
// the first one that is known.
func OfServer(version string) string {
	if v, err := release.Parse(version); err == nil && v.Before(first) {
		return first.String()
	}
	return version
}

// Release is a release of clientv3 from 3.3.14 to 3.7.x as a preset, "3.4.30" or
// "v3.5.7". It returns an error for anything else.
func Release(version string) (option.Preset, error) {
	v, err := release.Parse(version)
	if err != nil {
		return option.Preset{}, fmt.Errorf("clientv3: %w", err)
	}
	if v.Before(first) || last.Before(v) && !last.SameBranch(v) {
		return option.Preset{}, fmt.Errorf("clientv3: unknown version %q: %s to %s.x are known", version, first, last.Branch())
	}
	p := option.Preset{Name: "clientv3 " + v.String(), Settings: oldest}
	for _, c := range changes {
		if c.since.Includes(v) {
			p.Settings = append(p.Settings[:len(p.Settings):len(p.Settings)], c.settings...)
		}
	}
	return p, nil
}
