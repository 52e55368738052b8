package rangestream

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Running are the streams of a server that have begun to be read, each by the place of its
// handler. There are few, so that a list is searched.
type Running struct{ all []running }

type running struct {
	place int32
	Stream
	// blocked: Send waits for room.
	blocked bool
}

// Find is the stream of a handler, nil if it has not begun. It is valid until the next call
// of Add or Remove.
func (r *Running) Find(place int32) *Stream {
	if i := r.index(place); i >= 0 {
		return &r.all[i].Stream
	}
	return nil
}

// Add begins a stream.
func (r *Running) Add(place int32, s Stream) *Stream {
	r.all = append(r.all, running{place: place, Stream: s})
	return &r.all[len(r.all)-1].Stream
}

// Remove ends the stream of a handler, if it has begun.
func (r *Running) Remove(place int32) {
	if i := r.index(place); i >= 0 {
		r.all = slices.Delete(r.all, i, i+1)
	}
}

// Block makes a stream wait for room.
func (r *Running) Block(place int32) { r.all[r.index(place)].blocked = true }

// Unblock ends that; it reports false if the stream did not wait.
func (r *Running) Unblock(place int32) bool {
	i := r.index(place)
	if i < 0 || !r.all[i].blocked {
		return false
	}
	r.all[i].blocked = false
	return true
}

func (r *Running) index(place int32) int {
	return slices.IndexFunc(r.all, func(x running) bool { return x.place == place })
}

// Reset ends all of them and keeps the memory.
func (r *Running) Reset() {
	clear(r.all)
	r.all = r.all[:0]
}

// Clone is a copy that goes its own way.
func (r *Running) Clone() Running { return Running{slices.Clone(r.all)} }

// Digest mixes in where they are. The order in which they began makes no difference.
func (r *Running) Digest(d sim.Digest) sim.Digest {
	if len(r.all) == 0 {
		return d
	}
	sum := sim.NewDigest
	for i := range r.all {
		x := &r.all[i]
		sum = sum.And(x.Stream.Digest(sim.NewDigest.Int(int64(x.place)).Bool(x.blocked)))
	}
	return d.Fold(sum)
}
