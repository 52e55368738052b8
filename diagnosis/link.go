package diagnosis

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// A link is "1." and, in base64 for URLs without padding, a CRC-32 (IEEE, four bytes) of what follows: compressed by
// DEFLATE, the length of a header as a uvarint, the header as JSON, and the choices as recording.Numbers has them. A run
// that a strategy makes of a seed needs no choices.
const (
	linkFormat = "1."
	// maxLink is the greatest length of a link, in bytes, maxRun that of a run without compression.
	maxLink = 256 << 10
	maxRun  = 2 << 20
)

// Link is what a link says beside the choices.
type Link struct {
	Tool     string           `json:"t,omitempty"`
	Scenario string           `json:"s"`
	Set      []option.Setting `json:"o,omitempty"`
	Strategy string           `json:"y,omitempty"`
	Seed     uint64           `json:"n,omitempty"`
	Hash     explore.Hash     `json:"h,omitempty"`
	// Property and Label say which violation the run is about.
	Property string `json:"p,omitempty"`
	Label    string `json:"l,omitempty"`
}

var links = base64.RawURLEncoding

// Encode writes a link; numbers are the choices, none if a strategy makes the run of the seed.
func (h *Link) Encode(numbers []byte) (string, error) {
	head, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	for _, part := range [][]byte{binary.AppendUvarint(nil, uint64(len(head))), head, numbers} {
		if _, err := w.Write(part); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(packed.Bytes()))
	link := linkFormat + links.EncodeToString(append(sum, packed.Bytes()...))
	if len(link) > maxLink || len(head)+len(numbers) > maxRun {
		return "", ErrTooLong
	}
	return link, nil
}

// MaxLinkSteps is how many steps a run may have that is gone through.
const MaxLinkSteps = 20_000

var ErrTooLong = fmt.Errorf("the run has more than %d steps, or is too long for a link: make it smaller first, with simrun shrink FILE", MaxLinkSteps)

// LinkRunner is a runner whose runs are cut off where they are too long for a link.
func LinkRunner(sc *testbed.Scenario, p testbed.Params) (*explore.Runner, error) {
	p.Clock.Steps = min(cmp.Or(p.Clock.Steps, explore.DefaultSteps), MaxLinkSteps+1)
	return sc.Runner(p)
}

var errCutOff = errors.New("the link is cut off, or was changed on its way")

// ParseLink reads a link; numbers are the choices.
func ParseLink(link string) (h Link, numbers []byte, err error) {
	packed, ours := strings.CutPrefix(link, linkFormat)
	format, _, numbered := strings.Cut(link, ".")
	switch {
	case len(link) > maxLink:
		return h, nil, fmt.Errorf("the link has %d characters; links have %d at most", len(link), maxLink)
	case !ours && numbered && len(format) < 4 && format > "1":
		return h, nil, fmt.Errorf("the link has format %s, which is newer than this program (1)", format)
	case !ours:
		return h, nil, errors.New(`this is no link to a run: those begin with "1."`)
	}
	b, err := links.DecodeString(packed)
	if err != nil || len(b) < 4 || crc32.ChecksumIEEE(b[4:]) != binary.BigEndian.Uint32(b) {
		return h, nil, errCutOff
	}
	b, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[4:])), maxRun+1))
	if err != nil || len(b) > maxRun {
		return h, nil, errCutOff
	}
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return h, nil, errCutOff
	}
	if err := json.Unmarshal(b[size:size+int(n)], &h); err != nil {
		return h, nil, errCutOff
	}
	return h, b[size+int(n):], nil
}

// LinkTo is the link of a recorded run that is about this violation. The run is replayed for it; the error is that it does not
// replay.
func LinkTo(rec *recording.Recording, f explore.Failure) (string, error) {
	if rec.Steps() > MaxLinkSteps {
		return "", ErrTooLong
	}
	sc, p, err := testbed.RecordedScenario(rec.Scenario, rec.Parameters)
	if err != nil {
		return "", err
	}
	runner, err := LinkRunner(sc, p)
	if err != nil {
		return "", err
	}
	numbers, err := recording.Numbers(runner, rec)
	if err != nil {
		return "", err
	}
	h := Link{rec.Tool, sc.Name, p.Changed(&sc.Params), rec.Strategy, rec.Seed, rec.TraceHash, f.Property, f.Label}
	return h.Encode(numbers)
}

// Open carries out the run of a link.
func (h *Link) Open(numbers []byte) (*recording.Recording, error) {
	sc, p, err := testbed.RecordedScenario(h.Scenario, h.Set)
	if err != nil {
		return nil, err
	}
	runner, err := LinkRunner(sc, p)
	if err != nil {
		return nil, err
	}
	var rec *recording.Recording
	if len(numbers) > 0 {
		if rec, _, err = recording.FromNumbers(runner, numbers, h.Hash); err != nil {
			if h.Tool != "" {
				err = fmt.Errorf("%w; the link was made by %.60q", err, h.Tool)
			}
			return nil, err
		}
	} else {
		s, err := strategy.Find(h.Strategy)
		if err != nil {
			return nil, err
		}
		if rec, _ = recording.RecordSeed(runner, s, h.Seed); h.Hash != 0 && rec.TraceHash != h.Hash {
			return nil, &recording.TraceMismatch{Recorded: h.Hash, Got: rec.TraceHash}
		}
	}
	rec.Tool, rec.Scenario, rec.Parameters, rec.Strategy, rec.Seed = h.Tool, sc.Name, p.Expand(), h.Strategy, h.Seed
	return rec, nil
}
