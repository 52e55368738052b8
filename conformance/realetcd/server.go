package realetcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

const (
	// startAttempts: another process may take the free port before etcd binds
	// it.
	startAttempts = 3
	// startTimeout is generous: an idle machine takes about a second.
	startTimeout = 60 * time.Second
)

// Server is one running etcd.
type Server struct {
	Version  string
	Endpoint string // host:port of the client API

	dir    string
	flags  []string
	cmd    *exec.Cmd
	output *bytes.Buffer
	exited chan struct{}
}

// Start runs the server of a version, with flags of etcd's own besides those
// that it needs, and returns when it answers. The caller must Stop it.
func Start(ctx context.Context, version string, flags ...string) (*Server, error) {
	cluster, err := startCluster(ctx, version, 1, flags)
	if err != nil {
		return nil, err
	}
	return cluster[0], nil
}

// configure makes a member of a cluster that does not run yet. Its peers are URLs by name,
// as --initial-cluster wants them.
func configure(version string, a address, peers string, flags []string) (*Server, error) {
	dir, err := os.MkdirTemp("", "watchbed-etcd-")
	if err != nil {
		return nil, err
	}
	s := &Server{Version: version, Endpoint: a.client, dir: dir}
	s.flags = append([]string{
		"--name=" + a.name,
		"--data-dir=" + filepath.Join(dir, "data"),
		"--listen-client-urls=http://" + a.client,
		"--advertise-client-urls=http://" + a.client,
		"--listen-peer-urls=http://" + a.peer,
		"--initial-advertise-peer-urls=http://" + a.peer,
		"--initial-cluster=" + peers,
		"--log-level=warn",
	}, flags...)
	return s, nil
}

// launch runs the process until it answers. If it does not, there is none afterwards.
func (s *Server) launch(ctx context.Context) error {
	if err := s.run(); err != nil {
		return err
	}
	return s.answers(ctx)
}

// run runs the process.
func (s *Server) run() error {
	s.output, s.exited = &bytes.Buffer{}, make(chan struct{})
	s.cmd = exec.Command(Binary(s.Version), s.flags...)
	// Variables of the caller's shell (ETCD_*) would configure the server too.
	s.cmd.Env = []string{}
	s.cmd.Dir = s.dir
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	dieWithParent(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	cmd, exited := s.cmd, s.exited
	go func() {
		cmd.Wait()
		close(exited)
	}()
	return nil
}

// answers waits until the process answers. If it does not, there is none afterwards.
func (s *Server) answers(ctx context.Context) error {
	if err := s.awaitReady(ctx); err != nil {
		s.kill()
		return fmt.Errorf("etcd %s did not start: %w\n%s", s.Version, err, s.output)
	}
	return nil
}

// Restart kills the server and runs it again on the same data and ports. It
// returns when the new process answers; if it does not, only Stop is left to do.
func (s *Server) Restart(ctx context.Context) error {
	s.kill()
	return s.launch(ctx)
}

// exitTimeout is how long a process that has broken its connections may take to end.
const exitTimeout = 5 * time.Second

// Exits reports whether the process ends by itself, and waits for that.
func (s *Server) Exits() bool {
	select {
	case <-s.exited:
		return true
	case <-time.After(exitTimeout):
		return false
	}
}

// Pid is the number of the server's process.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

func (s *Server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	go func() {
		select {
		case <-s.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	conn, err := s.Dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	// A linearizable read needs a leader, so an answer means that writes work.
	_, err = pb.NewKVClient(conn).Range(ctx, &pb.RangeRequest{Key: []byte("ready")}, grpc.WaitForReady(true))
	select {
	case <-s.exited:
		return errors.New("the process ended")
	default:
		return err
	}
}

// Dial opens a plain gRPC connection. The caller closes it.
func (s *Server) Dial(opts ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///"+s.Endpoint, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(),
		// As clientv3 does: an answer may be larger than gRPC's default of 4 MiB.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1 << 30)),
	}, opts...)...)
}

// Stop kills the server and removes its data. It may be called more than once.
func (s *Server) Stop() {
	s.kill()
	os.RemoveAll(s.dir)
}

func (s *Server) kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	s.cmd.Process.Kill()
	<-s.exited
}
