package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// server says where the fleet's server is, and how to be let in: in files that NATS has for that.
type server struct {
	url                  string
	creds, ca, cert, key string
}

func (s *server) dial() (*nats.Conn, error) {
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(time.Second / 2), nats.Name("watchbed"),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})} // what the client mends by itself

	if s.creds != "" {
		options = append(options, nats.UserCredentials(s.creds))
	}
	if s.ca != "" {
		options = append(options, nats.RootCAs(s.ca))
	}
	switch {
	case s.cert != "" && s.key != "":
		options = append(options, nats.ClientCert(s.cert, s.key))
	case s.cert != s.key:
		return nil, errors.New("--cert and --key go together: give both")
	}
	return nats.Connect(s.url, options...)
}

// host is a server of JetStream in this process, whose files are under a folder.
type host struct {
	dir, listen, config string
	complain            func(string, ...any)
	now                 *natsserver.Server
}

// start starts it: on an address, or as a configuration file of NATS says. What it has taken is on the disk when it says so.
func (h *host) start() error {
	options := &natsserver.Options{}
	if h.config != "" {
		if err := options.ProcessConfigFile(h.config); err != nil {
			return fmt.Errorf("--config: %w", err)
		}
	} else {
		at, port, err := net.SplitHostPort(h.listen)
		if err == nil {
			options.Host = cmp.Or(at, "127.0.0.1")
			options.Port, err = strconv.Atoi(port)
		}
		if err != nil {
			return fmt.Errorf("--listen %s: want HOST:PORT, such as 127.0.0.1:4222", h.listen)
		}
		if options.Port == 0 {
			options.Port = natsserver.RANDOM_PORT
		}
	}
	options.JetStream, options.StoreDir, options.SyncAlways = true, cmp.Or(options.StoreDir, h.dir), true
	options.NoSigs, options.NoLog = true, h.config == ""
	s, err := natsserver.NewServer(options)
	if err != nil {
		return err
	}
	if h.config != "" {
		s.ConfigureLogger()
	}
	s.Start()
	const patience = 10 * time.Second
	if !s.ReadyForConnections(patience) {
		s.Shutdown()
		return fmt.Errorf("no NATS server on %s: is the address in use, or can %s not be written?", h.listen, h.dir)
	}
	h.now, h.listen = s, s.Addr().String()
	return nil
}

func (h *host) stop() {
	h.now.Shutdown()
	h.now.WaitForShutdown()
}

// keep starts the server again when it takes nothing any more, until the context ends: a store of JetStream whose disk was full
// stays shut when there is room again. Then it stops it.
func (h *host) keep(ctx context.Context) {
	defer func() { h.stop() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lotWait / 2):
		}
		err := h.probe(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		h.complain("the server's files in %s take nothing (%v); it is started again", h.dir, err)
		h.stop()
		for err := h.start(); err != nil && ctx.Err() == nil; err = h.start() {
			h.complain("%v; trying again", err)
			time.Sleep(time.Second)
		}
	}
}

// probe writes a message to each stream that is there, and takes it away.
func (h *host) probe(ctx context.Context) error {
	conn, err := nats.Connect("", nats.InProcessServer(h.now))
	if err != nil {
		return nil // this connection has no credentials, which says nothing of the files
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lotWait/3)
	defer cancel()
	for stream, subject := range map[string]string{lotsStream: lotsSubject, resultsStream: resultsSubject} {
		s, err := js.Stream(ctx, stream)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err == nil {
			_, err = js.Publish(ctx, subject+"probe", nil)
		}
		if err != nil && !present(err) {
			return err
		}
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject+"probe")); err != nil {
			return err
		}
	}
	return nil
}
