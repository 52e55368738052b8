package client

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/dimension"
)

// ResumeRevision is where a watch continues on a new stream if the last thing
// it was told was a progress notification at R. After events it continues
// behind the last one in every version.
type ResumeRevision uint8

const (
	// ResumeAfterHeader continues at R+1: everything up to R was delivered.
	ResumeAfterHeader ResumeRevision = iota
	// ResumeAtHeader continues at R: an event at R comes twice (etcd #15248).
	ResumeAtHeader
)

// MissingPrevKv is what becomes of a change or deletion that etcd sent without
// the previous value, because that was compacted (etcd #10681).
type MissingPrevKv uint8

const (
	// MissingPrevKvFails ends the watch with an error.
	MissingPrevKvFails MissingPrevKv = iota
	// MissingPrevKvPasses makes of a deletion an event without an object, which
	// the reflector logs and skips: the cache keeps what is no longer there
	// (kubernetes #76675).
	MissingPrevKvPasses
)

// ProgressScope is who is told of a progress notification for all watches of a
// stream.
type ProgressScope uint8

const (
	// ProgressScopeStream: the watches of that stream.
	ProgressScopeStream ProgressScope = iota
	// ProgressScopeClient: all watches of the client. Those on other streams may
	// have events under way that the notification knows nothing of.
	ProgressScopeClient
)

// Behaviour is one value for each dimension in which versions differ. The zero
// value is that of the newest ones.
type Behaviour struct {
	ResumeRevision ResumeRevision
	MissingPrevKv  MissingPrevKv
	ProgressScope  ProgressScope
}

// ForVersion returns the behaviour of a release of clientv3, "3.4.30" or
// "v3.5.7". Kubernetes' part is always the present one: an older one is a bug
// to Apply. It returns an error if the text is no version or the version is not
// one of 3.4 to 3.7.
//
// Read in 3.4.24, 3.4.25, 3.4.31, 3.5.7, 3.5.8, 3.5.12, 3.5.13, 3.5.35, 3.6.16
// and 3.7.3: in the watch path the resume revision is all that differs.
func ForVersion(version string) (Behaviour, error) {
	var b Behaviour
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	var n [3]int
	if len(parts) != len(n) {
		return b, fmt.Errorf("client: %q is no version such as 3.5.13", version)
	}
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return b, fmt.Errorf("client: %q is no version such as 3.5.13", version)
		}
		n[i] = int(v)
	}
	if n[0] != 3 || n[1] < 4 || n[1] > 7 {
		return b, fmt.Errorf("client: clientv3 %s is not known; 3.4 to 3.7 are", version)
	}
	if n[1] == 4 && n[2] < 24 || n[1] == 5 && n[2] < 8 {
		b.ResumeRevision = ResumeAtHeader
	}
	return b, nil
}

// Dimension is one way in which behaviours differ, with the value that this
// one has there and all values that there are.
type Dimension = dimension.Dimension

var dimensions = dimension.Table[Behaviour]{
	{Name: "resume-revision", Values: []string{"after-header", "at-header"},
		Get: func(b *Behaviour) int { return int(b.ResumeRevision) },
		Set: func(b *Behaviour, v int) { b.ResumeRevision = ResumeRevision(v) }},
	{Name: "missing-prev-kv", Values: []string{"fails", "passes"},
		Get: func(b *Behaviour) int { return int(b.MissingPrevKv) },
		Set: func(b *Behaviour, v int) { b.MissingPrevKv = MissingPrevKv(v) }},
	{Name: "progress-scope", Values: []string{"stream", "client"},
		Get: func(b *Behaviour) int { return int(b.ProgressScope) },
		Set: func(b *Behaviour, v int) { b.ProgressScope = ProgressScope(v) }},
}

// Dimensions lists all dimensions in a fixed order.
func (b Behaviour) Dimensions() []Dimension { return dimensions.Of(b) }

// With returns the behaviour with one dimension set. It returns an error that
// lists what there is if it does not know the dimension or the value.
func (b Behaviour) With(dim, value string) (Behaviour, error) {
	return dimensions.With("client", b, dim, value)
}
