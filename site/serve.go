//go:build !js

// Site serves the page on loopback, from the folder that "make site" has written. With -mcp it is a server of the Model
// Context Protocol on its standard streams.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8420", "where to listen")
	dir := flag.String("dir", "dist", "folder of the page")
	speak := flag.Bool("mcp", false, "speak the Model Context Protocol on standard input and output, and serve no page")
	flag.Parse()
	err := func() error {
		if *speak {
			return protocol().Run(context.Background(), &mcp.StdioTransport{})
		}
		return serve(*listen, *dir)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(2)
	}
}

func serve(listen, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "watchbed.bin")); err != nil {
		return fmt.Errorf("%s has no page: make site writes one", dir)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("-listen %s: %w", listen, err)
	}
	fmt.Printf("http://%s/\n", l.Addr())
	return http.Serve(l, http.FileServer(http.Dir(dir)))
}
