//go:build wasip1

package protocol

import "unsafe"

// A guest speaks with its host by what follows: it waits for messages, and sends some. What it calls is in the overlay
// that guests are compiled with.

// inbox is where the host puts a message: its length, then its bytes.
var inbox [8 << 20]byte

//go:wasmimport watchbed inbox
func hostInbox(at unsafe.Pointer, size uint32)

//go:wasmimport watchbed canSend
func hostCanSend(conn uint32) uint32

//go:wasmimport watchbed send
//go:noescape
func hostSend(message unsafe.Pointer, size uint32)

// watchbedReceive and watchbedSeed are in the overlay of package runtime.
//
//go:linkname watchbedReceive runtime.watchbedReceive
func watchbedReceive()

//go:linkname watchbedSeed runtime.watchbedSeed
func watchbedSeed(seed uint64)

func init() { hostInbox(unsafe.Pointer(&inbox), uint32(len(inbox))) }

// Receive waits for the next message of the host. One goroutine calls it.
func Receive() []byte {
	watchbedReceive()
	n := *(*uint32)(unsafe.Pointer(&inbox))
	return append([]byte(nil), inbox[4:4+n]...)
}

// CanSend reports whether a connection takes another message now.
func CanSend(conn uint32) bool { return hostCanSend(conn) != 0 }

// Send hands a message to the host, which takes it at once.
func Send(w *Writer) {
	hostSend(unsafe.Pointer(unsafe.SliceData(w.Bytes)), uint32(len(w.Bytes)))
}

// Seed seeds all generators of the runtime.
func Seed(seed uint64) { watchbedSeed(seed) }
