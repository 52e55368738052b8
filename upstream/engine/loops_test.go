package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// looping is a module whose function f goes around a loop as often as its parameter says, and for ever if that is 0. In
// the loop are constants whose bytes look like instructions.
var looping = []byte{
	0, 'a', 's', 'm', 1, 0, 0, 0,
	1, 5, 1, 0x60, 1, 0x7f, 0, // type: a function of an i32
	3, 2, 1, 0, // function
	6, 6, 1, 0x7f, 1, 0x41, 7, 0x0b, // global: an i32
	7, 5, 1, 1, 'f', 0, 0, // export
	10, 32, 1, 30, 1, 1, 0x7e, // code: one local, an i64
	0x03, 0x40, // loop
	0x42, 0x83, 0x03, 0x1a, // i64.const, drop
	0x44, 3, 0x40, 3, 0x40, 3, 0x40, 3, 0x40, 0x1a, // f64.const, drop
	0x20, 0, 0x41, 1, 0x6b, 0x22, 0, // one less
	0x0d, 0, // br_if
	0x0b, 0x0b,
}

// TestAProgramThatLoopsForEverIsStopped: after as many rounds as it may take, and not before.
func TestAProgramThatLoopsForEverIsStopped(t *testing.T) {
	wasm, err := ExportGlobals(looping)
	require.NoError(t, err)
	wasm, err = CountLoops(wasm)
	require.NoError(t, err)
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	m, err := r.Instantiate(ctx, wasm)
	require.NoError(t, err)
	left := m.ExportedGlobal(LoopsName).(api.MutableGlobal)
	require.Nil(t, m.ExportedGlobal(GlobalName+"1"), "what is left to count is no part of the state")

	left.Set(10)
	_, err = m.ExportedFunction("f").Call(ctx, 10)
	require.NoError(t, err)
	require.Zero(t, left.Get())

	left.Set(9)
	_, err = m.ExportedFunction("f").Call(ctx, 10)
	require.ErrorContains(t, err, "unreachable")
	left.Set(1000)
	_, err = m.ExportedFunction("f").Call(ctx, 0)
	require.ErrorContains(t, err, "unreachable")
	require.Zero(t, left.Get())
}

// TestWhatIsSaidOfAGuestThatSpins: the functions that were under way.
func TestWhatIsSaidOfAGuestThatSpins(t *testing.T) {
	_, err := CountLoops(looping[:len(looping)-3])
	require.EqualError(t, err, "not a WebAssembly module, or one that was cut off")
	c := spinning(errText(`wasm error: unreachable
wasm stack trace:
	.k8s.io_apiserver_pkg_storage_cacher.__watchCache_.UpdateResourceVersion(i32) i32
	.k8s.io_client_go_tools_cache.handleAnyWatch(i32) i32
	.wasm_pc_f_loop()
	._rt0_wasm_wasip1()
`), maxLoops)
	require.EqualError(t, c, "the guest crashed: it spins: 33554432 rounds of loops in one step, and it does not wait (in cacher.(*watchCache).UpdateResourceVersion, called by cache.handleAnyWatch)")
}

type errText string

func (e errText) Error() string { return string(e) }
