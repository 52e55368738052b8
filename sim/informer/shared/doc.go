// Package shared (unstable) is what client-go has between a Reflector and a controller: its sharedIndexInformer (read
// in client-go v0.37.2) with the RealFIFO before it and the sharedProcessor behind it. It is a part of the node of an
// informer, whose Reflector delivers to it, and makes no step of its own. With informer-batch-members=of-object its
// queue is DeltaFIFO, the default before client-go 0.33.
//
// The package imports sim, sim/wire, sim/option and btree. It must never
// import sim/informer, which has it as a part.
//
// # Goroutines
//
// Each goroutine that can wait is a task of the node, and takes a step when its turn comes:
//
//	controller.processLoop       takes a batch, and puts it into the store; then a
//	                             notification to all handlers in each step
//	sharedProcessor.run          starts the goroutines of the listeners, and ends them
//	RunWithContext's             closes synced when the queue has
//	listener.run                 a notification in each step
//	listener.watchSynced         learns that the informer has synced
//	Reflector.startResync        the timer "resync"
//	the program's own            the timer "program": adds a handler, removes it, or stops
//	                             the informer, each when its turn comes
//
// A lock that can be held from one step to the next is a value with its waiters: that of
// the queue (RealFIFO.lock), blockDeltas, and listenersLock. A goroutine that waits has its
// task disabled, so that a deadlock is a state in which none has a step. The others are
// held within one step.
//
// # What is merged, and why it makes no difference
//
//   - listener.pop takes whatever it is sent, at once, and keeps it for listener.run: adding a
//     notification is a part of the sender's step, unless pop has not been started.
//   - Taking a batch and putting it into the store are one step if blockDeltas is free. What
//     could come between is a delivery, which only adds to the queue, or a handler that is
//     added, which finds the same store as before the batch was taken.
//   - The read locks that notifications and the handler's registration take for less than a
//     step.
//   - A Reflector that waits for the lock of the queue has taken an event off its watch. Here
//     it takes none meanwhile.
//   - The goroutine that ends a ListAndWatch does not wait for that of its resync, which
//     does not wait for anything then unless there is a deadlock.
//
// # Left out
//
// Transformers, indexers, the mutation detector, metrics, handlers that panic, and goroutines of
// handlers that go on after their removal.
package shared
