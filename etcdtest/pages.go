package etcdtest

import (
	"encoding/json"
	"fmt"
	"net/http"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// pages are what etcd serves beside gRPC: what load balancers, probes and monitoring ask for.
func (s *server) pages() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /health", s.health)
	for _, path := range []string{"/livez", "/readyz"} {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if reason := s.sick(r, path == "/livez"); reason != "" {
				http.Error(w, reason, http.StatusServiceUnavailable)
				return
			}
			fmt.Fprintln(w, "ok")
		})
	}
	m.HandleFunc("GET /version", s.version)
	m.HandleFunc("GET /metrics", s.metrics)
	return m
}

// sick is why the member is not healthy, empty if it is.
func (s *server) sick(r *http.Request, serializable bool) (reason string) {
	led := true
	err := s.look(r.Context(), func(e *etcd.Server) { led = e.HasLeader() })
	if !led && !serializable {
		return "RAFT NO LEADER"
	}
	if err == nil {
		_, err = s.Range(r.Context(), &pb.RangeRequest{Key: []byte{0}, KeysOnly: true, Limit: 1, Serializable: serializable})
	}
	if err != nil {
		return "RANGE ERROR:" + rpctypes.ErrorDesc(err)
	}
	return ""
}

func (s *server) health(w http.ResponseWriter, r *http.Request) {
	h := struct {
		Health string `json:"health"`
		Reason string `json:"reason"`
	}{Health: "true"}
	if h.Reason = s.sick(r, r.URL.Query().Get("serializable") == "true"); h.Reason != "" {
		h.Health = "false"
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(h)
}

func (s *server) version(w http.ResponseWriter, r *http.Request) {
	status, err := s.Status(r.Context(), nil)
	if err != nil {
		http.Error(w, rpctypes.ErrorDesc(err), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct {
		Server  string `json:"etcdserver"`
		Cluster string `json:"etcdcluster"`
		Storage string `json:"storage,omitempty"`
	}{status.Version, branch(status.Version), status.StorageVersion})
}

// branch is the first release of that of a release: the version of a cluster, and of what it stores.
func branch(of string) string { return release.Must(of).Branch() + ".0" }

// metrics are few: what dashboards of etcd show, and a simulated member knows.
func (s *server) metrics(w http.ResponseWriter, r *http.Request) {
	status, err := s.Status(r.Context(), nil)
	var keys *pb.RangeResponse
	if err == nil {
		keys, err = s.Range(r.Context(), &pb.RangeRequest{Key: []byte{0}, RangeEnd: []byte{0}, Serializable: true, CountOnly: true})
	}
	if err != nil {
		http.Error(w, rpctypes.ErrorDesc(err), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	put := func(name string, value any) { fmt.Fprintf(w, "# TYPE %s gauge\n%s %v\n", name, name, value) }
	_ = s.look(r.Context(), func(e *etcd.Server) {
		led, watches := 0, 0
		if e.HasLeader() {
			led = 1
		}
		e.Watches(func(sim.Conn, wire.WatchCreateRequest) { watches++ })
		put("etcd_server_has_leader", led)
		put("etcd_server_is_leader", led)
		put("etcd_server_proposals_applied_total", e.Applied())
		put("etcd_debugging_mvcc_current_revision", e.Revision())
		put("etcd_debugging_mvcc_compact_revision", e.CompactRevision())
		put("etcd_debugging_mvcc_keys_total", keys.Count)
		put("etcd_debugging_mvcc_watcher_total", watches)
		put("etcd_mvcc_db_total_size_in_bytes", status.DbSize)
		put("etcd_mvcc_db_total_size_in_use_in_bytes", status.DbSizeInUse)
	})
	fmt.Fprintf(w, "# TYPE etcd_server_version gauge\netcd_server_version{server_version=%q} 1\n", status.Version)
}
