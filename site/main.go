//go:build js

// Site is the engine of the page: it answers the page's worker, which sends questions to ask(number, operation, JSON).
package main

import (
	"fmt"
	"runtime/debug"
	"syscall/js"

	_ "github.com/watchbed/watchbed/knownbugs"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/site/debugger"
)

func main() {
	debug.SetGCPercent(400)
	d := &debugger.Debugger{}
	js.Global().Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
		number, operation, question := args[0], args[1].String(), args[2].String()
		// Not in the callback: while that runs, no other goroutine does.
		go func() {
			answer, err := answered(d, operation, question)
			if err != nil {
				js.Global().Call("answered", number, js.Null(), err.Error())
				return
			}
			js.Global().Call("answered", number, string(answer), js.Null())
		}()
		return nil
	}))
	js.Global().Call("ready")
	select {}
}

func answered(d *debugger.Debugger, operation, question string) (answer []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: the program has failed: %v", operation, v)
		}
	}()
	return d.Call(operation, []byte(question))
}
