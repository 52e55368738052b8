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
	// Number is that of the line, or of the one on which an object begins, from 1 on.
	Number int64
}

// NewLines takes lines of up to so many bytes. The advice is what to do about a longer one.
func NewLines(r io.Reader, limit int, advice string) *Lines {
	l := &Lines{in: bufio.NewScanner(r), limit: limit, advice: advice}
	l.in.Buffer(make([]byte, 0, min(1<<16, limit)), limit)
	return l
}

// Each gives each line to take, with its number. Every error begins with the number of the line at fault.
func (l *Lines) Each(take func(line []byte, number int64) error) error {
	for l.Number = 1; l.in.Scan(); l.Number++ {
		line := l.in.Bytes()
		if l.Number == 1 {
			// Some editors begin a file with a byte order mark.
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := take(line, l.Number); err != nil {
			return InLine(l.Number, err)
		}
	}
	return l.err(l.Number)
}

// err is what ended the reading in a line before the end of the file.
func (l *Lines) err(line int64) error {
	switch err := l.in.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		return InLine(line, fmt.Errorf("longer than %d bytes: %s", l.limit, l.advice))
	default:
		return InLine(line, err)
	}
}

// InLine is an error with the number of the line at fault.
func InLine(number int64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("line %d: %w", number, err)
}
