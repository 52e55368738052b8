package apiserver

import (
	"context"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/storage"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// unset is the resourceVersion of a request that gives none.
const unset = -1

func versionText(v int64) string {
	if v == unset {
		return ""
	}
	return strconv.FormatInt(v, 10)
}

func matchOf(b byte) metav1.ResourceVersionMatch {
	return [...]metav1.ResourceVersionMatch{"", metav1.ResourceVersionMatchNotOlderThan, metav1.ResourceVersionMatchExact, "MostRecent"}[b]
}

// lists is a LIST of a client.
type lists struct {
	key  string
	opts storage.ListOptions
	// pastCache: the cache is to stay out of it.
	pastCache bool
	shard     shard
}

func listRequest(r *protocol.Reader) *lists {
	l := &lists{key: strings.TrimPrefix(r.Text(), etcdPrefix)}
	l.opts.ResourceVersion, l.opts.ResourceVersionMatch = versionText(r.Int()), matchOf(r.Byte())
	limit, token := r.Int(), r.Text()
	l.opts.Recursive, l.pastCache = !r.Bool(), r.Bool()
	l.opts.Predicate = readPredicate(r)
	l.shard = readShard(r, &l.opts.Predicate)
	l.opts.Predicate.Limit, l.opts.Predicate.Continue = limit, token
	return l
}

// readPredicate reads a selector: terms of a field or a label each.
func readPredicate(r *protocol.Reader) storage.SelectionPredicate {
	p := storage.SelectionPredicate{Label: labels.Everything(), Field: fields.Everything(), GetAttrs: attributesOfServer.of}
	var f []fields.Selector
	l := labels.Set{}
	for range r.Int() {
		isLabel, name, value := r.Bool(), r.Text(), r.Text()
		if isLabel {
			l[name] = value
		} else {
			f = append(f, fields.OneTermEqualSelector(name, value))
		}
	}
	if len(l) > 0 {
		p.Label = l.AsSelector()
	}
	if len(f) > 0 {
		p.Field = fields.AndSelectors(f...)
	}
	if attributesOfServer.indexed != "" {
		p.IndexFields = []string{attributesOfServer.indexed}
	}
	return p
}

// attributesOfServer are those that the server was started with.
var attributesOfServer attributes

func (l *lists) list(ctx context.Context, s *Server, to *reply) {
	if err := validate(&l.opts, false); err != nil {
		to.fail(err)
		return
	}
	from := s.delegator
	if l.pastCache {
		from = s.storage
	}
	asked := &trace{}
	var into objectList
	if err := from.GetList(context.WithValue(ctx, traceKey{}, asked), l.key, l.opts, &into); err != nil {
		to.fail(err)
		return
	}
	w := to.begin(protocol.Listed).Int(version(into.ResourceVersion)).Text(into.Continue)
	remaining := int64(0)
	if into.RemainingItemCount != nil {
		remaining = *into.RemainingItemCount
	}
	w.Int(remaining).Byte(asked.origin()).Int(int64(len(into.Items)))
	for i := range into.Items {
		s.writeObject(w, &into.Items[i])
	}
	l.shard.write(w, &into)
	to.last()
}

// origin says who answered.
func (t *trace) origin() byte {
	switch {
	case !t.object:
		return protocol.FromCache
	case t.revision:
		return protocol.FromFallback
	default:
		return protocol.FromEtcd
	}
}

func (s *Server) writeObject(w *protocol.Writer, o *object) {
	w.Text(etcdPrefix + s.resource + nameOf(o)).Text(o.Value).Int(version(o.ResourceVersion))
}

func version(text string) int64 {
	v, _ := strconv.ParseInt(text, 10, 64)
	return v
}

// gets is a GET of a client.
type gets struct {
	key     string
	version string
}

func getRequest(r *protocol.Reader) *gets {
	return &gets{key: strings.TrimPrefix(r.Text(), etcdPrefix), version: versionText(r.Int())}
}

func (g *gets) get(ctx context.Context, s *Server, to *reply) {
	asked := &trace{}
	var into object
	err := s.delegator.Get(context.WithValue(ctx, traceKey{}, asked), g.key, storage.GetOptions{ResourceVersion: g.version}, &into)
	if err != nil && !storage.IsNotFound(err) {
		to.fail(err)
		return
	}
	w := to.begin(protocol.Got).Byte(asked.origin()).Bool(err == nil)
	if err == nil {
		s.writeObject(w, &into)
	}
	to.last()
}

// watches is a WATCH of a client.
type watches struct {
	key     string
	opts    storage.ListOptions
	timeout time.Duration
	// announce: the client is told when the watch is established.
	announce bool
}

func watchRequest(r *protocol.Reader) *watches {
	w := &watches{key: strings.TrimPrefix(r.Text(), etcdPrefix)}
	w.opts.ResourceVersion, w.opts.ResourceVersionMatch = versionText(r.Int()), matchOf(r.Byte())
	if initial := r.Byte(); initial > 0 {
		w.opts.SendInitialEvents = new(bool)
		*w.opts.SendInitialEvents = initial == 2
	}
	bookmarks := r.Bool()
	w.timeout = time.Duration(r.Int()) * time.Second
	w.opts.Recursive, w.announce = !r.Bool(), r.Bool()
	w.opts.Predicate = readPredicate(r)
	readShard(r, &w.opts.Predicate)
	w.opts.Predicate.AllowWatchBookmarks = bookmarks
	return w
}

// watch serves a watch until its time is over, the client leaves or the storage ends it, as
// handlers.serveWatch does.
func (q *watches) watch(ctx context.Context, s *Server, to *reply) {
	if q.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.timeout)
		defer cancel()
	}
	if err := validate(&q.opts, true); err != nil {
		to.fail(err)
		return
	}
	events, err := s.delegator.Watch(ctx, q.key, q.opts)
	if err != nil {
		to.fail(err)
		return
	}
	defer events.Stop()
	if q.announce {
		to.begin(protocol.Established)
		to.send()
	}
	for {
		select {
		case <-ctx.Done():
			to.close()
			return
		case e, more := <-events.ResultChan():
			if !more {
				to.close()
				return
			}
			s.writeEvent(to, &e)
		}
	}
}

// readyz answers when the cache is ready.
func (s *Server) readyz(ctx context.Context, _ *Server, to *reply) {
	for s.cacher.Wait(ctx) != nil {
		if ctx.Err() != nil {
			return
		}
		time.Sleep(time.Second)
	}
	to.begin(protocol.IsReady)
	to.last()
}
