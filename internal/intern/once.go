package intern

import "sync/atomic"

// Once is something that becomes known at some time, and stays so. Its zero value is not known.
type Once[T any] struct{ known atomic.Pointer[T] }

// Get is what is known, nil if it is not.
func (o *Once[T]) Get() *T { return o.known.Load() }

// Know makes it known. If it was already, that is what stays. It returns what is known then.
func (o *Once[T]) Know(x *T) *T {
	if o.known.CompareAndSwap(nil, x) {
		return x
	}
	return o.known.Load()
}

// Word is a number that becomes known at some time; 0 is not known.
type Word struct{ known atomic.Uint64 }

// Get is the number, 0 if it is not known.
func (w *Word) Get() uint64 { return w.known.Load() }

// Set makes it known.
func (w *Word) Set(x uint64) { w.known.Store(x) }
