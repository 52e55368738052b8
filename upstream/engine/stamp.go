package engine

import (
	"encoding/binary"
	"errors"
)

// stampName is that of the custom section of a guest that has the version of the protocol.
const stampName = "watchbed.protocol"

// customSection is the kind of a section that a WebAssembly engine skips.
const customSection = 0

// Stamp writes into a guest which version of the protocol it speaks.
func Stamp(wasm []byte, version uint64) []byte {
	section := append(binary.AppendUvarint(nil, uint64(len(stampName))), stampName...)
	section = binary.AppendUvarint(section, version)
	return append(binary.AppendUvarint(append(wasm, customSection), uint64(len(section))), section...)
}

// Stamped is the version of the protocol that a guest speaks, 0 if it does not say.
func Stamped(wasm []byte) (uint64, error) {
	version := uint64(0)
	err := sections(wasm, func(kind byte, content []byte) {
		if kind != customSection {
			return
		}
		length, n := binary.Uvarint(content)
		if n > 0 && uint64(len(content)-n) > length && string(content[n:n+int(length)]) == stampName {
			version, _ = binary.Uvarint(content[n+int(length):])
		}
	})
	return version, err
}

// sections calls f for each section of a module.
func sections(wasm []byte, f func(kind byte, content []byte)) error {
	const header = 8
	if len(wasm) < header || string(wasm[:4]) != "\x00asm" {
		return errNoModule
	}
	for at := header; at < len(wasm); {
		size, n := binary.Uvarint(wasm[at+1:])
		begin := at + 1 + n
		if n <= 0 || size > uint64(len(wasm)-begin) {
			return errNoModule
		}
		f(wasm[at], wasm[begin:begin+int(size)])
		at = begin + int(size)
	}
	return nil
}

var errNoModule = errors.New("not a WebAssembly module, or one that was cut off")
