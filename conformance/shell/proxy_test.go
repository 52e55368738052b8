package shell_test

import (
	"io"
	"net"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// network is the way from the cache to etcd: a TCP connection that can be cut
// while others go on.
type network struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	conns map[net.Conn]bool
	// down: the proxy refuses all connections.
	down bool
}

func newNetwork(t *testing.T, server *realetcd.Server) *network {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{listener: listener, to: server.Endpoint, conns: map[net.Conn]bool{}}
	var running sync.WaitGroup
	running.Go(func() { n.serve(&running) })
	t.Cleanup(func() {
		listener.Close()
		n.cut()
		running.Wait()
	})
	return n
}

// client is one that has no other way to the server.
func (n *network) client(t *testing.T) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   []string{n.listener.Addr().String()},
		DialOptions: []grpc.DialOption{grpc.WithNoProxy()},
		Logger:      zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func (n *network) serve(running *sync.WaitGroup) {
	for {
		near, err := n.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", n.to)
		if err != nil || !n.add(near, far) {
			near.Close()
			if far != nil {
				far.Close()
			}
			continue
		}
		for _, pair := range [2][2]net.Conn{{near, far}, {far, near}} {
			running.Go(func() {
				io.Copy(pair[0], pair[1])
				near.Close()
				far.Close()
			})
		}
	}
}

func (n *network) add(conns ...net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		return false
	}
	for _, c := range conns {
		n.conns[c] = true
	}
	return true
}

// cut breaks all connections and lets no new one through.
func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = true
	for c := range n.conns {
		c.Close()
	}
	clear(n.conns)
}

func (n *network) heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = false
}
