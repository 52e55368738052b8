package clientv3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// streamEnds: the stream to etcd ends with an error, and all watches on it.
type streamEnds struct{ err *wire.Error }

func (n streamEnds) Text(*sim.World) string {
	return "the stream to etcd ended, and all watches on it: " + n.err.Message
}

// callRepeated: a call is sent once more after an error.
type callRepeated struct {
	request sim.Payload
	err     *wire.Error
}

func (n callRepeated) Text(*sim.World) string {
	return "will send " + n.request.Label() + " again after the error \"" + n.err.Message + "\""
}

// callFailed: the caller is answered an error of etcd, or what the client library
// makes of it.
type callFailed struct {
	request     sim.Payload
	err, answer *wire.Error
}

func (n callFailed) Text(*sim.World) string {
	text := "passes on the error \"" + n.err.Message + "\" of " + n.request.Label()
	if n.answer != n.err {
		text = "makes of the error \"" + n.err.Message + "\" of " + n.request.Label() + " the answer \"" + n.answer.Message + "\""
	}
	return text
}

// createQueued: a watch waits until others of its stream have been created: etcd is asked
// for one at a time.
type createQueued struct {
	key    string
	behind int
}

// Text implements sim.Note.
func (n createQueued) Text(*sim.World) string {
	return "will request the watch of " + n.key + " when those before it on the stream are created: " + strconv.Itoa(n.behind)
}

// watchResumes: a watch is requested once more, on a new stream.
type watchResumes struct {
	key string
	rev int64
	// progressed: rev comes from a progress notification.
	progressed bool
}

func (n watchResumes) Text(*sim.World) string {
	s := "resumes the watch of " + n.key + " from revision " + strconv.FormatInt(n.rev, 10)
	if n.progressed {
		s += ", because of a progress notification"
	}
	return s
}

func (n watchResumes) About() sim.About { return sim.About{Revision: n.rev} }

// callKept: the caller of a call is gone, and the client library does not forget the
// call.
type callKept struct{ request sim.Payload }

// Text implements sim.Note.
func (n callKept) Text(*sim.World) string {
	return "keeps the call " + n.request.Label() + ", whose caller is gone"
}

// SetsBack implements sim.Setback.
func (n callKept) SetsBack() bool { return true }

// closingsLeft: run has opened its stream again, and does not look for watches that closed
// meanwhile.
type closingsLeft struct{ watches int }

// Text implements sim.Note.
func (n closingsLeft) Text(*sim.World) string {
	return "does not take " + strconv.Itoa(n.watches) + " watches that closed while the stream waited to be opened again"
}

// SetsBack implements sim.Setback.
func (n closingsLeft) SetsBack() bool { return true }

// givenToOthers: a progress notification is delivered to the watches of another stream.
type givenToOthers struct{ revision int64 }

func (n givenToOthers) Text(*sim.World) string {
	return "gives progress " + strconv.FormatInt(n.revision, 10) + " to the watches of another stream, too"
}

func (n givenToOthers) About() sim.About { return sim.About{Revision: n.revision} }
