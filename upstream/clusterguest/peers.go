//go:build wasip1

package main

import (
	"bytes"
	"maps"
	"net/http"
	"slices"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// servePeer answers a request of another member.
func (m *member) servePeer(conn uint32, r *protocol.Reader) {
	method, path, body := r.Text(), r.Text(), []byte(r.Text())
	header := readHeader(r)
	if !m.listens {
		protocol.Send(new(protocol.Writer).Begin(protocol.Failed, conn).Byte(protocol.Unavailable).Text("connection refused"))
		return
	}
	request, err := http.NewRequest(method, "http://member"+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header = header
	go func() {
		w := &responseWriter{header: http.Header{}}
		m.peers.ServeHTTP(w, request)
		w.WriteHeader(http.StatusOK)
		var out protocol.Writer
		writeHeader(out.Begin(protocol.PeerResponse, conn).Int(int64(w.status)), w.header)
		protocol.Send(out.Text(w.body.String()))
	}()
}

// responseWriter keeps what a handler answers.
type responseWriter struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func readHeader(r *protocol.Reader) http.Header {
	h := http.Header{}
	for range r.Int() {
		name := r.Text()
		h.Add(name, r.Text())
	}
	return h
}

// writeHeader writes what is in a header, in the order of the names.
func writeHeader(w *protocol.Writer, h http.Header) {
	n := 0
	for _, values := range h {
		n += len(values)
	}
	w.Int(int64(n))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			w.Text(name).Text(value)
		}
	}
}
