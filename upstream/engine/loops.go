package engine

import (
	"encoding/binary"
	"fmt"
	"math"
)

// LoopsName is the name under which a guest exports the global that CountLoops adds.
const LoopsName = "watchbed_loops"

// maxLoops is how many rounds of loops a guest may take from one idle point to the next. In small worlds Kubernetes'
// cache takes up to 37,000 and etcd up to 13,000, so that a guest which takes this many spins.
const maxLoops = 1 << 25

// CountLoops has each round of each loop of a module take one from a global, and stop the program when nothing is left.
// A function of Go is a loop around its resume points, so that calls count, too, and endless recursion comes to an end.
// The global is no part of a guest's state. Such counting costs far less than wazero's check of a context, which makes
// a guest four times as slow.
func CountLoops(wasm []byte) ([]byte, error) {
	const (
		globalSection = 6
		exportSection = 7
		codeSection   = 10
		globalKind    = 3
		mutable       = 1
	)
	out := append([]byte(nil), wasm[:min(len(wasm), 8)]...)
	var counter uint64
	var failed error
	err := sections(wasm, func(kind byte, content []byte) {
		count, n := binary.Uvarint(content)
		switch kind {
		case globalSection:
			counter = count
			content = append(binary.AppendUvarint(nil, count+1), content[n:]...)
			content = append(content, typeI64, mutable, opI64Const)
			content = append(appendSigned(content, math.MaxInt64), opEnd)
		case exportSection:
			content = append(binary.AppendUvarint(nil, count+1), content[n:]...)
			content = append(binary.AppendUvarint(content, uint64(len(LoopsName))), LoopsName...)
			content = binary.AppendUvarint(append(content, globalKind), counter)
		case codeSection:
			counted, err := countLoops(content[n:], count, counter)
			if err != nil {
				failed = err
			}
			content = append(binary.AppendUvarint(nil, count), counted...)
		}
		out = append(binary.AppendUvarint(append(out, kind), uint64(len(content))), content...)
	})
	if err == nil {
		err = failed
	}
	return out, err
}

// appendSigned appends a number of 0 or more in LEB128 with a sign.
func appendSigned(b []byte, n int64) []byte {
	for ; n > 0x3f; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// countLoops changes the bodies of functions.
func countLoops(bodies []byte, functions, counter uint64) ([]byte, error) {
	left := binary.AppendUvarint([]byte{opGlobalGet}, counter)
	count := append(left[:len(left):len(left)], opI64Eqz, opIf, typeEmpty, opUnreachable, opEnd)
	count = append(append(count, left...), opI64Const, 1, opI64Sub, opGlobalSet)
	count = binary.AppendUvarint(count, counter)
	out := make([]byte, 0, len(bodies)+len(bodies)/8)
	var body []byte
	for f := range functions {
		size, n := binary.Uvarint(bodies)
		if n <= 0 || size > uint64(len(bodies)-n) {
			return nil, errNoModule
		}
		code := bodies[n : n+int(size)]
		bodies = bodies[n+int(size):]
		locals := immediates{code: code}
		for groups := locals.number(); groups > 0 && !locals.cut; groups-- {
			locals.number()
			locals.number()
		}
		if locals.cut {
			return nil, errNoModule
		}
		body = append(body[:0], code[:locals.at]...)
		for code = code[locals.at:]; len(code) > 0; {
			length, err := instruction(code)
			if err != nil {
				return nil, fmt.Errorf("function %d: %w", f, err)
			}
			body = append(body, code[:length]...)
			if code[0] == opLoop {
				body = append(body, count...)
			}
			code = code[length:]
		}
		out = append(binary.AppendUvarint(out, uint64(len(body))), body...)
	}
	return out, nil
}
