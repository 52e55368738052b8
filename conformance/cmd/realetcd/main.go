package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use: "realetcd", Short: "Ask and record running servers that speak etcd's API",
		SilenceUsage: true, SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(conformCommand(), recordCommand())
	err := root.ExecuteContext(ctx)
	code := 0
	if err != nil {
		code = 2
		if coded := (*exit)(nil); errors.As(err, &coded) {
			code = coded.code
		}
		if text := strings.TrimSpace(err.Error()); text != "" {
			fmt.Fprintln(os.Stderr, "realetcd:", text)
		}
	}
	os.Exit(code)
}

// exit is an error with the code of the process. Any other is bad usage.
type exit struct {
	code int
	error
}

var (
	errViolated = &exit{1, errors.New("")}
	errUnknown  = &exit{3, errors.New("")}
)
