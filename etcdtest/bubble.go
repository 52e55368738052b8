package etcdtest

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	_ "unsafe" // for go:linkname
)

// never is the channel on which clientv3 waits in the contexts of its watchers: valCtxCh of package clientv3, which is
// never closed. A goroutine that waits for a channel from outside of its bubble does not count as waiting, so that each
// bubble needs one of its own.
//
//go:linkname never go.etcd.io/etcd/client/v3.valCtxCh
var never chan struct{}

// bubbles keeps a bubble and clients outside of it apart: they share never.
var bubbles sync.RWMutex

// enter has the clients of a bubble wait for a channel of it. leave undoes that.
func enter() (leave func()) {
	outside := never
	never = make(chan struct{})
	return func() { never = outside }
}

// inBubble reports whether the goroutine is in a bubble of package testing/synctest: the head of its stack says so.
func inBubble() bool {
	var head [128]byte
	return strings.Contains(string(head[:runtime.Stack(head[:], false)]), "synctest bubble")
}

// inUse are the tests that have a client of New, or are in Run.
var inUse sync.Map

// claim notes that a test has an etcd until the function is called. It fails the test if the test, or a parent of it,
// has an etcd that excludes this one.
func claim(t testing.TB, how string) (end func()) {
	for name := t.Name(); ; {
		if other, is := inUse.Load(name); is && (how != "New" || other != "New") {
			t.Fatalf("etcdtest: %s in a test with %s waits for ever: have each in a test of its own, and T.Client in Run", how, other)
		}
		at := strings.LastIndex(name, "/")
		if at < 0 {
			break
		}
		name = name[:at]
	}
	inUse.Store(t.Name(), how)
	return func() { inUse.Delete(t.Name()) }
}

// alone keeps all other etcds away until the function is called.
func alone(t testing.TB) (leave func()) {
	end := claim(t, "Run")
	bubbles.Lock()
	return func() { bubbles.Unlock(); end() }
}
