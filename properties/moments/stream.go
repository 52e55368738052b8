package moments

// Stream is what the member that serves watches was like when a client of etcd's watch
// API sent its requests, and when responses came.
type Stream struct {
	// Creates are the requests with which the stream began, Later those after them.
	// Responses are by their places in EtcdWatch.Responses.
	Creates, Later, Responses []Etcd
}

func (s *Stream) reset() {
	s.Creates, s.Later, s.Responses = s.Creates[:0], s.Later[:0], s.Responses[:0]
}

// Stream is the record of a stream, by its place in System.Streams.
func (r *Recorder) Stream(i int) *Stream { return &r.streams[i] }

func (r *Recorder) lookAtStream(i int) {
	s, c := &r.streams[i], r.system.Streams()[i]
	now := etcdNow(r.serves)
	creates, later := c.Sent()
	s.Creates = upTo(s.Creates, creates, now)
	s.Later = upTo(s.Later, later, now)
	s.Responses = upTo(s.Responses, len(c.Responses()), now)
}

// upTo adds moments until there are n.
func upTo(all []Etcd, n int, now Etcd) []Etcd {
	for len(all) < n {
		all = append(all, now)
	}
	return all
}
