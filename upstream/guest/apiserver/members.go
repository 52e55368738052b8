package apiserver

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// members are the endpoints of etcd that the API server has in its configuration. Each can be
// asked for its version, which is what feature.FeatureSupportChecker wants of a client.
type members struct {
	etcd  *etcd
	count int64
}

// Endpoints returns their names.
func (m members) Endpoints() []string {
	var names []string
	for i := range m.count {
		names = append(names, fmt.Sprintf("member-%d", i))
	}
	return names
}

// Status asks one of them.
func (m members) Status(ctx context.Context, endpoint string) (*clientv3.StatusResponse, error) {
	var number int64
	if _, err := fmt.Sscanf(endpoint, "member-%d", &number); err != nil {
		return nil, err
	}
	a, err := m.etcd.call(ctx, func(w *protocol.Writer, conn uint32) { w.Begin(protocol.Status, conn).Int(number) })
	if err != nil {
		return nil, err
	}
	return &clientv3.StatusResponse{Version: a.version}, nil
}
