package memory

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// killed: the process has taken more memory than it may.
type killed struct{ taken, limit int }

func (n killed) Text(*sim.World) string {
	return "takes memory for " + strconv.Itoa(n.taken) + " objects, more than the " + strconv.Itoa(n.limit) + " that it may: its process is killed"
}
