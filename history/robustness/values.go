package robustness

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/watchbed/watchbed/history"
)

// values are the JSON values of a file, one after the other.
type values struct {
	decoder *json.Decoder
	// began is the byte behind the value before the one that is read.
	began int64
}

func newValues(from io.Reader) *values {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	return &values{decoder: d}
}

func (v *values) more() bool {
	v.began = v.decoder.InputOffset()
	return v.decoder.More()
}

// decode takes the next value. Fields that are not known are refused: what a later release
// records may change what an answer means.
func (v *values) decode(into any) error {
	err := v.decoder.Decode(into)
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON that begins here ends too early: was the file cut off?")
	case errors.As(err, &syntax):
		v.began = max(v.began, syntax.Offset-1)
		return fmt.Errorf("not JSON: %w", err)
	case errors.As(err, &wrong):
		return fmt.Errorf("of the value that begins here: %s", history.WrongType(wrong))
	}
	return fmt.Errorf("of the value that begins here: %s: reports of etcd's release 3.6 and of main are known", strings.TrimPrefix(err.Error(), "json: "))
}

// lineOf is the number of the line with the first byte from an offset on that is no space,
// from 1.
func lineOf(name string, offset int64) int {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	in := bufio.NewReader(f)
	line := 1
	for at := int64(0); ; at++ {
		b, err := in.ReadByte()
		if err != nil || at >= offset && !unicode.IsSpace(rune(b)) {
			return line
		}
		if b == '\n' {
			line++
		}
	}
}
