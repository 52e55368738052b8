package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// The exit codes.
const (
	exitHolds     = 0
	exitViolated  = 1
	exitUsage     = 2
	exitNoVerdict = 3
)

// exitError ends the command with a code. With a nil err everything was said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Exit is the error for a verdict, nil if all holds.
func Exit(v model.Verdict) error {
	switch v {
	case model.Holds:
		return nil
	case model.Violated:
		return &exitError{code: exitViolated}
	}
	return &exitError{code: exitNoVerdict}
}

// NoVerdict is an error that leaves a command without a verdict.
func NoVerdict(err error) error { return &exitError{exitNoVerdict, err} }

func usage(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if u := (*testbed.Unanswered)(nil); errors.As(err, &u) {
		const few = 4
		able := testbed.AnsweredBy(u.Design)
		shown := able[:min(few, len(able))]
		err = fmt.Errorf("%w; it has one for every request of %s and %d others (list %s)", err, strings.Join(shown, ", "), len(able)-len(shown), u.Design)
	}
	return &exitError{exitUsage, err}
}

// codeOf is the exit code of an error: anything unexpected is bad input. Of several the
// first of a violation, of what went wrong, and of no verdict decides: nothing hides a
// violation, and a verdict is missing for as long as input or output is.
func codeOf(err error) int {
	if err == nil {
		return exitHolds
	}
	if list := joined(err); list != nil {
		codes := make([]int, len(list))
		for i, one := range list {
			codes[i] = codeOf(one)
		}
		return slices.Min(codes)
	}
	if e, ok := err.(*exitError); ok {
		return e.code
	}
	if inner := errors.Unwrap(err); inner != nil && errors.As(inner, new(*exitError)) {
		return codeOf(inner)
	}
	return exitUsage
}

// joined are the errors that errors.Join has made one of, nil if it has not.
func joined(err error) []error {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var texts []string
	for _, one := range all.Unwrap() {
		texts = append(texts, one.Error())
	}
	if err.Error() != strings.Join(texts, "\n") {
		return nil // fmt.Errorf wraps several errors in a text of its own
	}
	return all.Unwrap()
}

// messages are what is said of an error: each of those that were joined is a line.
func messages(err error) []string {
	if err == nil {
		return nil
	}
	var lines []string
	if e, ok := err.(*exitError); ok {
		return messages(e.err)
	}
	if list := joined(err); list != nil {
		for _, one := range list {
			lines = append(lines, messages(one)...)
		}
		return lines
	}
	text := err.Error()
	if strings.HasPrefix(text, "unknown command") {
		// The suggestion comes on lines of its own.
		text = strings.Join(strings.Fields(text), " ")
	}
	return append(lines, oneLine(text))
}

// oneLine has the control characters of a text spelt out, such as those of an argument that
// is quoted in it: a new line would be taken for another message, and a terminal does what
// others say.
func oneLine(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
