package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchFlags is what the maps prevKV and fragment of serverWatchStream have for a watch.
type watchFlags struct{ prevKV, fragment bool }

// notify is what the map progress has for a watch: false is that the next tick leaves it out.
type notify uint8

const (
	unnotified notify = iota
	notifyFalse
	notifyTrue
)

// storeFlags adds what a create request asks for.
func (sws *ServerWatchStream) storeFlags(env *sim.Env, id int64, req *wire.WatchCreateRequest) {
	f, p := sws.flags.Value(id), sws.progress.Value(id)
	f.prevKV, f.fragment = f.prevKV || req.PrevKv, f.fragment || req.Fragment
	if req.ProgressNotify {
		p = notifyTrue
	}
	sws.flags.Set(env, id, f)
	sws.progress.Set(env, id, p)
}
