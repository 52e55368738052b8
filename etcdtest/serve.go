package etcdtest

import (
	"cmp"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Serve serves a new etcd at a listener, for programs such as etcdctl, until stop is called: one member without data. Of
// the configuration it has Etcd, Bug, Set, Seed, Network, and Faults, of which there are none unless they are set; all
// clients are one to them. The faults are returned by name. Without certificates there is no TLS.
func Serve(l net.Listener, certificates *tls.Config, c Config) (faults []string, stop func(), err error) {
	c.Clients, c.Faults = 1, cmp.Or(c.Faults, &Faults{})
	config, err := c.server()
	if err != nil {
		return nil, nil, err
	}
	p := c.begin(config, trial{seed: c.Seed}, nil, false)
	for _, f := range p.all {
		faults = append(faults, f.name)
	}
	r, url := p.run, "http://"+l.Addr().String()
	r.loop.quantum = c.Network / delaySteps
	r.loop.processes[0].used.Store(true)
	go r.loop.run()
	if certificates != nil {
		// A client that knows both takes the first one. Clients of gRPC know the second one alone.
		certificates = certificates.Clone()
		certificates.NextProtos = []string{"http/1.1", "h2"}
		l, url = tls.NewListener(l, certificates), "https://"+l.Addr().String()
	}
	s := &server{loop: r.loop, process: r.loop.processes[0], node: firstProcess, etcd: r.etcd, urls: []string{url}}
	g := s.newGRPC()
	f := &front{Listener: l, pages: s.pages(), calls: make(chan net.Conn), over: make(chan struct{})}
	h := &http.Server{Handler: f, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}
	h.Protocols.SetHTTP1(true)
	var served sync.WaitGroup
	served.Go(func() { _ = h.Serve(connections{l}) })
	served.Go(func() { _ = g.Serve(f) })
	return faults, func() {
		r.loop.stop()
		_ = h.Close()
		close(f.over)
		g.Stop()
		served.Wait()
	}, nil
}

// connections hides from package http that a connection has TLS: it would take HTTP/2 for its own then.
type connections struct{ net.Listener }

// Accept implements net.Listener.
func (l connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return struct{ net.Conn }{c}, err
}

// front has gRPC and pages of HTTP/1 on one port: a connection that begins as HTTP/2 does is handed to gRPC as it is.
// grpc.Server.ServeHTTP would take 2.5 times as long.
type front struct {
	net.Listener
	pages http.Handler
	calls chan net.Conn
	over  chan struct{}
}

const preface = "PRI * HTTP/2.0\r\n\r\n"

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != "PRI" {
		f.pages.ServeHTTP(w, r)
		return
	}
	c, rest, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	select {
	case f.calls <- begun{c, io.MultiReader(strings.NewReader(preface), rest)}:
	case <-f.over:
		_ = c.Close()
	}
}

// Accept implements net.Listener, for gRPC.
func (f *front) Accept() (net.Conn, error) {
	select {
	case c := <-f.calls:
		return c, nil
	case <-f.over:
		return nil, net.ErrClosed
	}
}

// begun is a connection of which something was read.
type begun struct {
	net.Conn
	from io.Reader
}

func (b begun) Read(p []byte) (int, error) { return b.from.Read(p) }
