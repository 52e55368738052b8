package values

import (
	"reflect"
	"strings"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim/arena"
)

// isMemory reports whether a type says where memory comes from, and nothing of what a node will do: an
// arena, and the mark by which a tree knows which of its nodes it may change. To clone a tree changes its
// mark.
func isMemory(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		return t.Elem().PkgPath() == trees && strings.HasPrefix(t.Elem().Name(), "copyOnWriteContext[")
	}
	return t.PkgPath() == arenas
}

var (
	arenas = reflect.TypeFor[arena.Arena[byte]]().PkgPath()
	trees  = reflect.TypeFor[btree.BTreeG[byte]]().PkgPath()
)
