package main

import (
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
)

// One changed option of our cache: KEP-2340 with a client that is
// told to come back (429) where the KEP has it refused (504).
func init() {
	cache.RegisterDesign(cache.Design{Preset: option.Preset{
		Name: "impatient", Doc: "kep-2340, but 429 after 3 s",
		Settings: option.Settings("on-timeout=throttle"),
	}})
}
