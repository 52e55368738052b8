package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// server says where the fleet's server is, and how to be let in: in files that NATS has for that.
type server struct {
	url                  string
	creds, ca, cert, key string
}

func (s *server) dial() (*nats.Conn, error) {
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(time.Second / 2), nats.Name("watchbed")}
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

// serve starts a server of JetStream whose files are under a folder: on an address, or as a configuration file of NATS
// says. What it has taken is on the disk when it says so.
func serve(dir, listen, config string) (*natsserver.Server, error) {
	options := &natsserver.Options{}
	if config != "" {
		if err := options.ProcessConfigFile(config); err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
	} else {
		host, port, err := net.SplitHostPort(listen)
		if err == nil {
			options.Host = cmp.Or(host, "127.0.0.1")
			options.Port, err = strconv.Atoi(port)
		}
		if err != nil {
			return nil, fmt.Errorf("--listen %s: want HOST:PORT, such as 127.0.0.1:4222", listen)
		}
		if options.Port == 0 {
			options.Port = natsserver.RANDOM_PORT
		}
	}
	options.JetStream, options.StoreDir, options.SyncAlways = true, cmp.Or(options.StoreDir, dir), true
	options.NoSigs, options.NoLog = true, config == ""
	s, err := natsserver.NewServer(options)
	if err != nil {
		return nil, err
	}
	if config != "" {
		s.ConfigureLogger()
	}
	s.Start()
	const patience = 10 * time.Second
	if !s.ReadyForConnections(patience) {
		s.Shutdown()
		return nil, fmt.Errorf("no NATS server on %s: is the address in use, or can %s not be written?", listen, dir)
	}
	return s, nil
}
