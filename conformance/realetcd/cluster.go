package realetcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// StartCluster runs the members of one cluster, with flags of etcd's own besides those that
// they need, and returns when all of them answer. The first one is the leader at that time.
// The caller must Stop them.
func StartCluster(ctx context.Context, version string, members int, flags ...string) ([]*Server, error) {
	// Members wait for each other on a machine under load, and then elect another leader.
	flags = append([]string{"--heartbeat-interval=100", "--election-timeout=3000"}, flags...)
	cluster, err := startCluster(ctx, version, members, flags)
	if err != nil {
		return nil, err
	}
	for i, s := range cluster {
		leads, err := s.leads(ctx)
		if err != nil {
			stop(cluster)
			return nil, err
		}
		if leads {
			cluster[0], cluster[i] = cluster[i], cluster[0]
			return cluster, nil
		}
	}
	stop(cluster)
	return nil, errors.New("no member says that it leads")
}

func startCluster(ctx context.Context, version string, members int, flags []string) ([]*Server, error) {
	if why := missing(version, Binary(version)); why != "" {
		return nil, errors.New(why)
	}
	var err error
	for range startAttempts {
		var cluster []*Server
		if cluster, err = tryCluster(ctx, version, members, flags); err == nil {
			return cluster, nil
		}
		stop(cluster)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// tryCluster returns all members that it has made, also with an error.
func tryCluster(ctx context.Context, version string, members int, flags []string) ([]*Server, error) {
	addresses, err := freeAddresses(members)
	if err != nil {
		return nil, err
	}
	var peers []string
	for _, a := range addresses {
		peers = append(peers, a.name+"=http://"+a.peer)
	}
	var cluster []*Server
	for _, a := range addresses {
		s, err := configure(version, a, strings.Join(peers, ","), flags)
		if err != nil {
			return cluster, err
		}
		cluster = append(cluster, s)
		if err := s.run(); err != nil {
			return cluster, err
		}
	}
	// None answers before most of them run.
	for _, s := range cluster {
		if err := s.answers(ctx); err != nil {
			return cluster, err
		}
	}
	return cluster, nil
}

func stop(cluster []*Server) {
	for _, s := range slices.Backward(cluster) {
		s.Stop()
	}
}

// leads asks the member whether it is the leader.
func (s *Server) leads(ctx context.Context) (bool, error) {
	conn, err := s.Dial()
	if err != nil {
		return false, err
	}
	defer conn.Close()
	status, err := pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{})
	if err != nil {
		return false, err
	}
	return status.Leader == status.Header.MemberId, nil
}

// address is where a member listens, by its name in the cluster.
type address struct{ name, client, peer string }

// freeAddresses holds all ports until all are known, or two could be the same.
func freeAddresses(members int) ([]address, error) {
	var all []address
	for i := range members {
		a := address{name: fmt.Sprint("m", i)}
		for _, port := range []*string{&a.client, &a.peer} {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			defer l.Close()
			*port = l.Addr().String()
		}
		all = append(all, a)
	}
	return all, nil
}
