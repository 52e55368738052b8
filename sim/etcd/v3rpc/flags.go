package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim/wire"
)

// flags are the maps progress, prevKV and fragment of serverWatchStream: what was
// asked for each watch that something was asked for.
type flags []watchFlags

// watchFlags is what was asked for one watch id.
type watchFlags struct {
	id int64
	// progressNotify: the id is in the map progress, with the value progress.
	progressNotify, progress bool
	prevKV, fragment         bool
}

// of is what was asked for a watch, nil if nothing was.
func (fs flags) of(id int64) *watchFlags {
	if i := slices.IndexFunc(fs, func(f watchFlags) bool { return f.id == id }); i >= 0 {
		return &fs[i]
	}
	return nil
}

// store adds what a create request asks for.
func (fs *flags) store(id int64, req *wire.WatchCreateRequest) {
	if !req.ProgressNotify && !req.PrevKv && !req.Fragment {
		return
	}
	f := fs.of(id)
	if f == nil {
		*fs = append(*fs, watchFlags{id: id})
		f = &(*fs)[len(*fs)-1]
	}
	if req.ProgressNotify {
		f.progressNotify, f.progress = true, true
	}
	f.prevKV = f.prevKV || req.PrevKv
	f.fragment = f.fragment || req.Fragment
}

// drop removes what was asked for a watch.
func (fs *flags) drop(id int64) {
	*fs = slices.DeleteFunc(*fs, func(f watchFlags) bool { return f.id == id })
}
