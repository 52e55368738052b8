//go:build wasip1

package main

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// listing is a response that lists the members.
type listing interface{ GetMembers() []*pb.Member }

func writeMembers[Response listing](w *protocol.Writer, p Response) {
	w.Int(int64(len(p.GetMembers())))
	for _, m := range p.GetMembers() {
		writeTexts(w.Int(int64(m.ID)).Text(m.Name).Bool(m.IsLearner), m.PeerURLs)
		writeTexts(w, m.ClientURLs)
	}
}

func writeAdded(w *protocol.Writer, p *pb.MemberAddResponse) {
	writeMembers(w.Int(int64(p.Member.ID)), p)
}

func readTexts(r *protocol.Reader) []string {
	var all []string
	for range r.Int() {
		all = append(all, r.Text())
	}
	return all
}

func writeTexts(w *protocol.Writer, all []string) *protocol.Writer {
	w.Int(int64(len(all)))
	for _, text := range all {
		w.Text(text)
	}
	return w
}
