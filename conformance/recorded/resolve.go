package recorded

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/model"
)

// resolve finds out from a watch over the whole history which of the puts of
// unknown outcome took effect, and at which revision.
func resolve(ctx context.Context, cli *clientv3.Client, h *model.History) error {
	written, err := writtenValues(ctx, cli, h.Initial.Revision)
	if err != nil {
		return err
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Outcome != model.Unknown {
			continue
		}
		op.Commit = -1
		if rev, ok := written[op.Request.Value]; ok {
			op.Commit = rev
		}
	}
	h.Partial = false
	return nil
}

// writtenValues maps each value that was ever put after a revision to the
// revision of its put.
func writtenValues(ctx context.Context, cli *clientv3.Client, after int64) (map[string]int64, error) {
	now, err := cli.Get(ctx, prefix)
	if err != nil {
		return nil, err
	}
	written := map[string]int64{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	last := after
	for resp := range cli.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(after+1)) {
		if err := resp.Err(); err != nil {
			return nil, err
		}
		for _, ev := range resp.Events {
			if ev.Type == clientv3.EventTypePut {
				written[string(ev.Kv.Value)] = ev.Kv.ModRevision
			}
			last = ev.Kv.ModRevision
		}
		// Every revision of this server touches the prefix, so the watch is
		// complete once it reaches the current one.
		if last >= now.Header.Revision {
			return written, nil
		}
	}
	return nil, ctx.Err()
}
