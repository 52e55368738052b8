package etcdtest

import (
	"runtime"
	"strings"
	"sync"
	_ "unsafe" // for go:linkname
)

// never is the channel on which clientv3 waits in the contexts of its watchers: valCtxCh of package clientv3, which is never closed. A
// goroutine that waits for a channel from outside of its bubble does not count as waiting, so that each bubble needs one of its own.
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
