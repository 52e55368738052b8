package engine

import "fmt"

// Opcodes of WebAssembly that matter here.
const (
	opUnreachable = 0x00
	opLoop        = 0x03
	opIf          = 0x04
	opEnd         = 0x0b
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opI64Const    = 0x42
	opI64Eqz      = 0x50
	opI64Sub      = 0x7d

	typeI64   = 0x7e
	typeEmpty = 0x40
)

// instruction is the length of the instruction that code begins with: its opcode and what is behind that (WebAssembly
// Core Specification 2.0, section 5.4). Vectors and exceptions, which Go does not compile to, are refused.
func instruction(code []byte) (int, error) {
	i := immediates{code: code, at: 1}
	switch op := code[0]; {
	case op == 0x02 || op == opLoop || op == opIf:
		i.number()
	case op == 0x0c || op == 0x0d || op == 0x10 || op >= 0x20 && op <= 0x26:
		i.number()
	case op == 0x0e:
		for n := i.number() + 1; n > 0 && !i.cut; n-- {
			i.number()
		}
	case op == 0x11 || op >= 0x28 && op <= 0x3e:
		i.number()
		i.number()
	case op == 0x3f || op == 0x40 || op == 0x41 || op == opI64Const || op == 0xd0 || op == 0xd2:
		i.number()
	case op == 0x43:
		i.skip(4)
	case op == 0x44:
		i.skip(8)
	case op == 0xfc:
		switch sub := i.number(); {
		case sub <= 7:
		case sub == 9 || sub == 11 || sub >= 13 && sub <= 17:
			i.number()
		case sub == 8 || sub == 10 || sub == 12:
			i.number()
			i.number()
		default:
			return 0, fmt.Errorf("the guest has an instruction fc %02x, which is not known", sub)
		}
	case op <= 0x01 || op == 0x05 || op == opEnd || op == 0x0f || op == 0x1a || op == 0x1b || op >= 0x45 && op <= 0xc4 || op == 0xd1:
	default:
		return 0, fmt.Errorf("the guest has an instruction %02x, which is not known", op)
	}
	if i.cut || i.at > len(code) {
		return 0, errNoModule
	}
	return i.at, nil
}

// immediates reads what is behind an opcode.
type immediates struct {
	code []byte
	at   int
	// cut says that the code ends before the instruction does.
	cut bool
}

// number reads a number of LEB128, and is its value if it has no sign.
func (i *immediates) number() uint64 {
	value, shift := uint64(0), 0
	for ; i.at < len(i.code); shift += 7 {
		b := i.code[i.at]
		i.at++
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return value
		}
	}
	i.cut = true
	return 0
}

func (i *immediates) skip(bytes int) { i.at += bytes }
