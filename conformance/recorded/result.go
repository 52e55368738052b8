package recorded

// Result is how a number of equal runs went.
type Result struct {
	// Bug is the issue in etcd-io/etcd.
	Bug        int    `json:"bug"`
	Etcd       string `json:"etcd"`
	Runs       int    `json:"runs"`
	Violations int    `json:"violations"`
}
