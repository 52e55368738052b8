//go:build !js

// Site serves the page on loopback, from the folder that "make site" has written.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8420", "where to listen")
	dir := flag.String("dir", "dist", "folder of the page")
	flag.Parse()
	if err := serve(*listen, *dir); err != nil {
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
