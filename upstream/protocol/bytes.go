package protocol

import "encoding/binary"

// Writer makes the bytes of a message.
type Writer struct{ Bytes []byte }

// Begin begins a message, in the memory of the one before.
func (w *Writer) Begin(k Kind, conn uint32) *Writer {
	w.Bytes = append(w.Bytes[:0], byte(k))
	return w.Int(int64(conn))
}

// Int appends a number.
func (w *Writer) Int(n int64) *Writer {
	w.Bytes = binary.AppendVarint(w.Bytes, n)
	return w
}

// Bool appends a truth value.
func (w *Writer) Bool(b bool) *Writer {
	if b {
		w.Bytes = append(w.Bytes, 1)
	} else {
		w.Bytes = append(w.Bytes, 0)
	}
	return w
}

// Byte appends a byte.
func (w *Writer) Byte(b byte) *Writer {
	w.Bytes = append(w.Bytes, b)
	return w
}

// Text appends a text with its length.
func (w *Writer) Text(s string) *Writer {
	w.Bytes = append(binary.AppendVarint(w.Bytes, int64(len(s))), s...)
	return w
}

// Reader takes the bytes of a message apart, in the order in which they were written.
type Reader struct{ Bytes []byte }

// Begin reads how a message begins.
func (r *Reader) Begin() (Kind, uint32) { return Kind(r.Byte()), uint32(r.Int()) }

// Int reads a number.
func (r *Reader) Int() int64 {
	v, n := binary.Varint(r.Bytes)
	if n <= 0 {
		panic("protocol: a message ends within a number")
	}
	r.Bytes = r.Bytes[n:]
	return v
}

// Bool reads a truth value.
func (r *Reader) Bool() bool { return r.Byte() != 0 }

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if len(r.Bytes) == 0 {
		panic("protocol: a message ends too early")
	}
	b := r.Bytes[0]
	r.Bytes = r.Bytes[1:]
	return b
}

// Text reads a text.
func (r *Reader) Text() string {
	n := int(r.Int())
	if n < 0 || n > len(r.Bytes) {
		panic("protocol: a message ends within a text")
	}
	s := string(r.Bytes[:n])
	r.Bytes = r.Bytes[n:]
	return s
}
