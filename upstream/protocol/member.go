package protocol

// Member is what a Start tells a member of a cluster, as JSON. What the release of etcd does not know is left out.
type Member struct {
	// Name is that of one of the peers, which are the initial cluster.
	Name  string `json:"name,omitempty"`
	Peers []Peer `json:"peers,omitempty"`
	// Dir is the data directory.
	Dir             string `json:"dir,omitempty"`
	Existing        bool   `json:"existing,omitempty"`
	ForceNewCluster bool   `json:"forceNewCluster,omitempty"`
	// Restore is a copy of a database, out of which the data directory is made before the process starts, if there is
	// no directory. The newest revision is so many higher then, and compacted. Token is that of the cluster.
	Restore      string `json:"restore,omitempty"`
	RevisionBump uint64 `json:"revisionBump,omitempty"`
	Token        string `json:"token,omitempty"`

	// Numbers that are zero and texts that are empty are as etcd has them by default. What is true or false is as it is
	// said: etcd's default of PreVote and of InitialElectionTickAdvance is true. A compaction's hash is checked if
	// CompactHashCheckMs is not zero.
	TickMs                     int    `json:"tickMs,omitempty"`
	ElectionTicks              int    `json:"electionTicks,omitempty"`
	SnapshotCount              uint64 `json:"snapshotCount,omitempty"`
	SnapshotCatchUpEntries     uint64 `json:"snapshotCatchUpEntries,omitempty"`
	QuotaBytes                 int64  `json:"quotaBytes,omitempty"`
	AutoCompactionMode         string `json:"autoCompactionMode,omitempty"`
	AutoCompactionRetention    int64  `json:"autoCompactionRetention,omitempty"`
	CompactionBatchLimit       int    `json:"compactionBatchLimit,omitempty"`
	CorruptCheckMs             int    `json:"corruptCheckMs,omitempty"`
	CompactHashCheckMs         int    `json:"compactHashCheckMs,omitempty"`
	InitialCorruptCheck        bool   `json:"initialCorruptCheck,omitempty"`
	PreVote                    bool   `json:"preVote,omitempty"`
	LeaseCheckpoint            bool   `json:"leaseCheckpoint,omitempty"`
	ProgressMs                 int    `json:"progressMs,omitempty"`
	AuthToken                  string `json:"authToken,omitempty"`
	TokenTTL                   uint   `json:"tokenTTL,omitempty"`
	InitialElectionTickAdvance bool   `json:"initialElectionTickAdvance,omitempty"`
	// LooseReconfig lets members be changed however many of them are reached, as --strict-reconfig-check=false does.
	LooseReconfig bool `json:"looseReconfig,omitempty"`

	// Log has the server write its log to stderr.
	Log bool `json:"log,omitempty"`
}

// Peer is a member of the initial cluster. Its URL has an address: some releases look up what is no address.
type Peer struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}
