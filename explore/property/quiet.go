package property

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// quiet is a test whose messages are kept and not printed: what rapid prints of a failure
// is the list of the numbers that it drew, in several ways.
type quiet struct {
	testing.TB
	text   strings.Builder
	failed bool
}

func (q *quiet) Helper()             {}
func (q *quiet) Failed() bool        { return q.failed }
func (q *quiet) Fail()               { q.failed = true }
func (q *quiet) FailNow()            { q.failed = true; runtime.Goexit() }
func (q *quiet) Log(...any)          {}
func (q *quiet) Logf(string, ...any) {}
func (q *quiet) Error(args ...any)   { q.failed = true; fmt.Fprintln(&q.text, args...) }
func (q *quiet) Errorf(format string, args ...any) {
	q.failed = true
	fmt.Fprintf(&q.text, format+"\n", args...)
}
func (q *quiet) Fatal(args ...any)                 { q.Error(args...); q.FailNow() }
func (q *quiet) Fatalf(format string, args ...any) { q.Errorf(format, args...); q.FailNow() }

// quietly runs a check, and returns what it has to say if it fails.
func quietly(t testing.TB, check func(testing.TB)) string {
	q := &quiet{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(q)
	}()
	<-done
	if !q.failed {
		return ""
	}
	return q.text.String()
}
