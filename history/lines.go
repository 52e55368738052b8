package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Lines reads a recording line by line, and knows the number of the line.
type Lines struct {
	in     *bufio.Scanner
	limit  int
	advice string
	// Number is that of the line, from 1 on.
	Number int64
}

// NewLines takes lines of up to so many bytes. The advice is what to do about a longer one.
func NewLines(r io.Reader, limit int, advice string) *Lines {
	l := &Lines{in: bufio.NewScanner(r), limit: limit, advice: advice}
	l.in.Buffer(make([]byte, 0, min(1<<16, limit)), limit)
	return l
}

// Next goes to the next line, and reports whether there is one.
func (l *Lines) Next() bool {
	l.Number++
	return l.in.Scan()
}

// Bytes are those of the line, until the next one is read.
func (l *Lines) Bytes() []byte {
	if l.Number == 1 {
		// Some editors begin a file with a byte order mark.
		return bytes.TrimPrefix(l.in.Bytes(), []byte("\ufeff"))
	}
	return l.in.Bytes()
}

// Err is what ended the reading before the end of the file.
func (l *Lines) Err() error { return scanError(l.in, l.Number, l.limit, l.advice) }

// scanError is what ended a scanner in a line, which takes so many bytes. The advice is what to do about more.
func scanError(in *bufio.Scanner, line int64, limit int, advice string) error {
	switch err := in.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: longer than %d bytes: %s", line, limit, advice)
	default:
		return fmt.Errorf("line %d: %w", line, err)
	}
}
