package races

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What a race may send and be sent. Not JSON: the ends of ranges are no valid UTF-8.
func init() {
	for _, p := range []sim.Payload{
		&wire.PutRequest{}, &wire.PutResponse{}, &wire.DeleteRangeRequest{}, &wire.DeleteRangeResponse{},
		&wire.TxnRequest{}, &wire.TxnResponse{}, &wire.RangeRequest{}, &wire.RangeResponse{},
		&wire.CompactionRequest{}, &wire.CompactionResponse{}, &wire.Error{},
		&wire.WatchCreateRequest{}, &wire.WatchCancelRequest{}, &wire.WatchProgressRequest{}, &wire.WatchResponse{},
	} {
		gob.Register(p)
	}
}

// Keep writes a race to a file. What a real server did once, a search can look at again without it.
func (r *Race) Keep(name string) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(r); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// fileName tells races apart by the server and by the revision at which they began.
func (r *Race) fileName() string {
	member := "alone"
	if r.OnFollower {
		member = "follower"
	}
	return fmt.Sprintf("%s-%s-%d.race", r.Version, member, r.Begin)
}

// Load reads a race that was kept.
func Load(name string) (*Race, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r Race
	if err := gob.NewDecoder(f).Decode(&r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &r, nil
}
