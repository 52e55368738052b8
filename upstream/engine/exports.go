package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ExportGlobals adds to the export section of a module all its globals, which the Go linker
// does not export: among them is the stack pointer, a part of a guest's state.
func ExportGlobals(wasm []byte) ([]byte, error) {
	const (
		header        = 8
		globalSection = 6
		exportSection = 7
		globalKind    = 3
	)
	var globals uint64
	for at := header; at < len(wasm); {
		id := wasm[at]
		size, n := binary.Uvarint(wasm[at+1:])
		if n <= 0 || at+1+n+int(size) > len(wasm) {
			return nil, errors.New("not a WebAssembly module")
		}
		begin := at + 1 + n
		end := begin + int(size)
		switch id {
		case globalSection:
			globals, _ = binary.Uvarint(wasm[begin:end])
		case exportSection:
			count, n := binary.Uvarint(wasm[begin:end])
			section := binary.AppendUvarint(nil, count+globals)
			section = append(section, wasm[begin+n:end]...)
			for i := range globals {
				name := fmt.Sprintf("%s%d", GlobalName, i)
				section = append(binary.AppendUvarint(section, uint64(len(name))), name...)
				section = binary.AppendUvarint(append(section, globalKind), i)
			}
			out := append([]byte(nil), wasm[:at]...)
			out = append(binary.AppendUvarint(append(out, exportSection), uint64(len(section))), section...)
			return append(out, wasm[end:]...), nil
		}
		at = end
	}
	return nil, errors.New("the WebAssembly module exports nothing")
}
