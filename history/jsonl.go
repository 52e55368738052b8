package history

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/watchbed/watchbed/model"
)

// The name and version that the first line of a history carries. A reader
// refuses versions that it does not know: judging half of what was recorded
// would be worse than judging nothing.
const (
	Format  = "watchbed-history"
	Version = 1
)

type headerJSON struct {
	Format  string       `json:"format"`
	Version int          `json:"version"`
	Initial *initialJSON `json:"initial,omitempty"`
	Partial bool         `json:"partial,omitempty"`
}

type initialJSON struct {
	Revision  int64         `json:"revision"`
	Compacted int64         `json:"compacted,omitempty"`
	Items     []*model.Item `json:"items,omitempty"`
}

type operationJSON struct {
	Client   string       `json:"client"`
	Op       string       `json:"op"`
	Call     *int64       `json:"call"`
	Return   *int64       `json:"return,omitempty"`
	Server   string       `json:"server,omitempty"`
	Request  *requestJSON `json:"request"`
	Response *resultJSON  `json:"response,omitempty"`
	Error    string       `json:"error,omitempty"`
	Unknown  bool         `json:"unknown,omitempty"`
	Commit   int64        `json:"commit,omitempty"`
}

type requestJSON struct {
	// Op is that of a request inside a transaction; outside of one the
	// operation's line says it.
	Op        string `json:"op,omitempty"`
	Key       string `json:"key,omitempty"`
	End       string `json:"end,omitempty"`
	Value     string `json:"value,omitempty"`
	Freshness string `json:"freshness,omitempty"`
	Revision  int64  `json:"revision,omitempty"`
	Limit     int64  `json:"limit,omitempty"`
	CountOnly bool   `json:"countOnly,omitempty"`
	KeysOnly  bool   `json:"keysOnly,omitempty"`
	PrevKV    bool   `json:"prevKV,omitempty"`
	// IgnoreValue and IgnoreLease are of a put.
	IgnoreValue bool `json:"ignoreValue,omitempty"`
	IgnoreLease bool `json:"ignoreLease,omitempty"`
	// Lease is the lease of a put, or the granted or revoked lease. TTL is in seconds.
	Lease     int64          `json:"lease,omitempty"`
	TTL       int64          `json:"ttl,omitempty"`
	Selection *selectionJSON `json:"selection,omitempty"`
	Compare   []compareJSON  `json:"compare,omitempty"`
	Success   []requestJSON  `json:"success,omitempty"`
	Failure   []requestJSON  `json:"failure,omitempty"`
}

type compareJSON struct {
	Key    string `json:"key"`
	End    string `json:"end,omitempty"`
	Target string `json:"target"`
	Result string `json:"result"`
	Value  int64  `json:"value"`
	// Text is the operand of a compare of values.
	Text string `json:"text,omitempty"`
}

type selectionJSON struct {
	SortBy     string `json:"sortBy,omitempty"`
	Descending bool   `json:"descending,omitempty"`
	MinMod     int64  `json:"minMod,omitempty"`
	MaxMod     int64  `json:"maxMod,omitempty"`
	MinCreate  int64  `json:"minCreate,omitempty"`
	MaxCreate  int64  `json:"maxCreate,omitempty"`
	Values     string `json:"values,omitempty"`
	ValuesEnd  string `json:"valuesEnd,omitempty"`
	// These are model.Shard.
	ShardByValue bool   `json:"shardByValue,omitempty"`
	ShardFrom    uint64 `json:"shardFrom,omitempty"`
	ShardTo      uint64 `json:"shardTo,omitempty"`
	MoreOfAll    bool   `json:"moreOfAll,omitempty"`
}

type resultJSON struct {
	Revision int64         `json:"revision,omitempty"`
	Items    []*model.Item `json:"items,omitempty"`
	// Count is left out where it is the number of items.
	Count     *int64        `json:"count,omitempty"`
	More      bool          `json:"more,omitempty"`
	Deleted   int64         `json:"deleted,omitempty"`
	Prev      []*model.Item `json:"prev,omitempty"`
	Succeeded bool          `json:"succeeded,omitempty"`
	Responses []resultJSON  `json:"responses,omitempty"`
}

var (
	targetNames    = []string{model.CompareMod: "mod", model.CompareVersion: "version", model.CompareCreate: "create", model.CompareValue: "value", model.CompareLease: "lease"}
	sortNames      = []string{model.ByKey: "", model.ByVersion: "version", model.ByCreate: "create", model.ByMod: "mod", model.ByValue: "value"}
	freshnessNames = []string{model.Consistent.String(), model.Any.String(), model.NotOlderThan.String(), model.Exact.String()}
	relationNames  = []string{model.Equal: "=", model.NotEqual: "!=", model.Greater: ">", model.Less: "<"}
)

// Write writes a history as JSON Lines, header first. It refuses what
// Read would refuse, so that a recorder fails at its mistake. The error
// names the operation by its index.
//
// Names of clients that have no operation are not kept.
func Write(w io.Writer, h *model.History) error {
	if err := checkHistory(h, func(i int) string { return fmt.Sprintf("operation %d", i) }); err != nil {
		return err
	}
	if err := checkWatchers(h); err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	to := NewWriter(buf)
	if err := to.Header(h.Initial, h.Partial); err != nil {
		return err
	}
	for i := range h.Operations {
		if err := to.Operation(h.Clients[h.Operations[i].Client], &h.Operations[i]); err != nil {
			return err
		}
	}
	for _, w := range h.Watchers {
		for i := range w.Streams {
			s := &w.Streams[i]
			if err := to.Watch(w.Client, s); err != nil {
				return err
			}
			for k := range s.Responses {
				if err := to.Response(w.Client, &s.Responses[k]); err != nil {
					return err
				}
			}
		}
	}
	return buf.Flush()
}

// Writer writes a history line by line, each as soon as it is known. It checks nothing: Read does.
type Writer struct{ enc *json.Encoder }

// NewWriter returns a writer whose lines are one call of Write each.
func NewWriter(w io.Writer) *Writer {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Writer{enc}
}

// Header is the first line.
func (w *Writer) Header(initial model.Initial, partial bool) error {
	init := &initialJSON{Revision: initial.Revision, Compacted: initial.Compacted, Items: initial.Items}
	return w.enc.Encode(headerJSON{Format: Format, Version: Version, Initial: init, Partial: partial})
}

// Operation is that of a client, by its name.
func (w *Writer) Operation(client string, op *model.Operation) error {
	line := operationJSON{
		Client: client, Op: nameOf(op.Request.Kind), Call: &op.Call,
		Server: op.Server, Request: encodeRequest(op.Request), Commit: op.Commit,
	}
	if op.Outcome == model.Unknown {
		line.Unknown = true
	} else {
		line.Return = &op.Return
	}
	switch op.Outcome {
	case model.Done:
		line.Response = encodeResult(op.Request, op.Result)
	case model.Failed:
		line.Error = op.Result.Err.String()
	}
	return w.enc.Encode(&line)
}

func encodeRequest(r *model.Request) *requestJSON {
	out := &requestJSON{
		Key: r.Key, End: r.End, Value: r.Value, Revision: r.Revision,
		Limit: r.Limit, CountOnly: r.CountOnly, KeysOnly: r.KeysOnly, PrevKV: r.PrevKV, IgnoreValue: r.IgnoreValue,
		IgnoreLease: r.IgnoreLease, Lease: r.Lease, TTL: r.TTL,
	}
	if s := r.Selection; s != (model.Selection{}) {
		out.Selection = &selectionJSON{
			sortNames[s.SortBy], s.Descending, s.MinMod, s.MaxMod, s.MinCreate, s.MaxCreate, s.Values.Prefix, s.Values.Suffix,
			s.Values.Shard.ByValue, s.Values.Shard.From, s.Values.Shard.To, s.MoreOfAll,
		}
	}
	if r.Freshness != model.Consistent {
		out.Freshness = r.Freshness.String()
	}
	for _, c := range r.Compare {
		out.Compare = append(out.Compare, compareJSON{
			Key: c.Key, End: c.End, Target: targetNames[c.Target], Result: relationNames[c.Op], Value: c.Operand, Text: c.Value,
		})
	}
	out.Success, out.Failure = encodeBranch(r.Success), encodeBranch(r.Failure)
	return out
}

func encodeBranch(branch []model.Request) []requestJSON {
	var out []requestJSON
	for i := range branch {
		r := encodeRequest(&branch[i])
		r.Op = nameOf(branch[i].Kind)
		out = append(out, *r)
	}
	return out
}

func encodeResult(r *model.Request, res *model.Result) *resultJSON {
	out := &resultJSON{
		Revision: res.Revision, Items: res.Items, More: res.More,
		Deleted: res.Deleted, Prev: res.Prev, Succeeded: res.Succeeded,
	}
	if res.Counted || res.Count != int64(len(res.Items)) {
		out.Count = &res.Count
	}
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		out.Responses = append(out.Responses, *encodeResult(&branch[i], &res.Results[i]))
	}
	return out
}

func decodeOperation(line *operationJSON) (model.Operation, error) {
	op := model.Operation{Server: line.Server, Commit: line.Commit, Return: math.MaxInt64}
	kind, err := kindNamed(line.Op)
	if err != nil {
		return op, err
	}
	if line.Call == nil {
		return op, fmt.Errorf(`"call" is missing: give the reading of the event counter when the client asked`)
	}
	op.Call = *line.Call
	if line.Request == nil {
		return op, fmt.Errorf(`"request" is missing`)
	}
	if line.Request.Op != "" {
		return op, fmt.Errorf(`"op" belongs beside "request", not inside it`)
	}
	if op.Request, err = decodeRequest(kind, line.Request); err != nil {
		return op, err
	}
	given := 0
	for _, is := range []bool{line.Response != nil, line.Error != "", line.Unknown} {
		if is {
			given++
		}
	}
	if given != 1 {
		return op, fmt.Errorf(`give exactly one of "response", "error" and "unknown": true`)
	}
	if line.Unknown {
		op.Outcome = model.Unknown
		if line.Return != nil {
			return op, fmt.Errorf(`an unknown outcome has no "return": it may still happen later; remove it`)
		}
		return op, nil
	}
	if line.Return == nil {
		return op, fmt.Errorf(`"return" is missing: give the reading of the event counter at the answer, or "unknown": true if there was none`)
	}
	op.Return = *line.Return
	if line.Error != "" {
		op.Outcome = model.Failed
		code, err := codeNamed(line.Error)
		op.Result = &model.Result{Err: code}
		return op, err
	}
	op.Outcome = model.Done
	res := decodeResult(line.Response)
	op.Result = &res
	return op, nil
}

// lastKind is the last of the kinds that the format has: a lease that is kept alive, or asked
// about, changes no contents.
const lastKind = model.LeaseRevoke

func nameOf(k model.Kind) string { return strings.ReplaceAll(k.String(), " ", "-") }

func kindNamed(name string) (model.Kind, error) {
	for k := model.Put; k <= lastKind; k++ {
		if nameOf(k) == name {
			return k, nil
		}
	}
	if name == "" {
		return 0, errors.New(`"op" is missing: an operation has "client", "op", "call" and "request"`)
	}
	return 0, fmt.Errorf(`unknown "op" %q: use put, delete, txn, get, list, compact, lease-grant or lease-revoke`, shorten(name))
}

func codeNamed(name string) (model.Code, error) {
	var known []string
	for c := model.Compacted; c <= model.Invalid; c++ {
		if c.String() == name {
			return c, nil
		}
		known = append(known, c.String())
	}
	return 0, fmt.Errorf(`unknown "error" %q: use one of %s, or "unknown": true if the operation may have happened`,
		shorten(name), strings.Join(known, ", "))
}

func decodeRequest(kind model.Kind, in *requestJSON) (*model.Request, error) {
	r := &model.Request{
		Kind: kind, Key: in.Key, End: in.End, Value: in.Value, Revision: in.Revision,
		Limit: in.Limit, CountOnly: in.CountOnly, KeysOnly: in.KeysOnly, PrevKV: in.PrevKV, IgnoreValue: in.IgnoreValue,
		IgnoreLease: in.IgnoreLease, Lease: in.Lease, TTL: in.TTL,
	}
	if s := in.Selection; s != nil {
		by := slices.Index(sortNames, s.SortBy)
		if by < 0 {
			return nil, fmt.Errorf(`unknown "sortBy" %q: use version, create, mod or value, or leave it out for the key`, shorten(s.SortBy))
		}
		r.Selection = model.Selection{
			SortBy: model.SortTarget(by), Descending: s.Descending,
			MinMod: s.MinMod, MaxMod: s.MaxMod, MinCreate: s.MinCreate, MaxCreate: s.MaxCreate,
			Values: model.ValuePattern{
				Prefix: s.Values, Suffix: s.ValuesEnd, Shard: model.Shard{ByValue: s.ShardByValue, From: s.ShardFrom, To: s.ShardTo},
			},
			MoreOfAll: s.MoreOfAll,
		}
	}
	fresh := slices.Index(freshnessNames, cmp.Or(in.Freshness, model.Consistent.String()))
	if fresh < 0 {
		return nil, fmt.Errorf(`unknown "freshness" %q: use any, not-older-than or exact, or leave it out for a consistent read`, shorten(in.Freshness))
	}
	r.Freshness = model.Freshness(fresh)
	for i := range in.Compare {
		c, err := decodeCompare(&in.Compare[i])
		if err != nil {
			return nil, err
		}
		r.Compare = append(r.Compare, c)
	}
	var err error
	if r.Success, err = decodeBranch(in.Success); err != nil {
		return nil, err
	}
	r.Failure, err = decodeBranch(in.Failure)
	return r, err
}

func decodeCompare(in *compareJSON) (model.Compare, error) {
	out := model.Compare{Key: in.Key, End: in.End, Operand: in.Value, Value: in.Text}
	target, relation := slices.Index(targetNames, in.Target), slices.Index(relationNames, in.Result)
	if target < 0 {
		return out, fmt.Errorf(`unknown compare "target" %q: use mod, version, create, value or lease`, shorten(in.Target))
	}
	if relation < 0 {
		return out, fmt.Errorf(`unknown compare "result" %q: use =, !=, > or <`, shorten(in.Result))
	}
	out.Target, out.Op = model.CompareTarget(target), model.CompareOp(relation)
	return out, nil
}

func decodeBranch(in []requestJSON) ([]model.Request, error) {
	var out []model.Request
	for i := range in {
		kind, err := kindNamed(in[i].Op)
		if err != nil {
			return nil, fmt.Errorf("in a transaction: %w", err)
		}
		if kind >= model.Compact {
			return nil, fmt.Errorf("in a transaction: a %s is not possible: use put, delete, get, list or txn", kind)
		}
		r, err := decodeRequest(kind, &in[i])
		if err != nil {
			return nil, fmt.Errorf("in a transaction: %w", err)
		}
		out = append(out, *r)
	}
	return out, nil
}

func decodeResult(in *resultJSON) model.Result {
	res := model.Result{
		Revision: in.Revision, Items: in.Items, Count: int64(len(in.Items)), More: in.More,
		Deleted: in.Deleted, Prev: in.Prev, Succeeded: in.Succeeded,
	}
	if in.Count != nil {
		res.Count, res.Counted = *in.Count, *in.Count == res.Count
	}
	for i := range in.Responses {
		res.Results = append(res.Results, decodeResult(&in.Responses[i]))
	}
	return res
}

// shorten cuts a long value of a history, so that an error message stays short.
func shorten(s string) string {
	const maxBytes = 40
	if len(s) <= maxBytes {
		return s
	}
	cut := maxBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
