package prove

import (
	"encoding/binary"

	"github.com/watchbed/watchbed/sim"
)

// key tells states apart: a fingerprint.
type key uint64

// keyBytes is how long a key is.
const keyBytes = 8

// keyOf makes the key of a state. It is not 0, which is an empty place.
func keyOf(fingerprint sim.Digest) key { return key(max(fingerprint.Sum(), 1)) }

func putKey(to []byte, k key) []byte { return binary.LittleEndian.AppendUint64(to, uint64(k)) }

func readKey(b []byte) key { return key(binary.LittleEndian.Uint64(b)) }
