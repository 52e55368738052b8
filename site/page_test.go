//go:build !js

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// page is the site in a browser.
type page struct {
	*testing.T
	ctx    context.Context
	server *httptest.Server
	// bytes is what the server has sent.
	bytes *atomic.Int64
}

// site is built once, from the sources beside the test.
var site string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		panic(err)
	}
	site = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func open(t *testing.T) *page {
	if testing.Short() {
		t.Skip("the engine is compiled for it")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("WATCHBED_BROWSER") == "required" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	if _, err := os.Stat(filepath.Join(site, "index.html")); err != nil {
		out, err := exec.Command("make", "-C", "..", "site", "SITE="+site).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	p := &page{T: t, bytes: &atomic.Int64{}}
	files := http.FileServer(http.Dir(site))
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(&counted{w, p.bytes}, r)
	}))
	t.Cleanup(p.server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(1440, 900),
		chromedp.Flag("disable-quic", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p.ctx = ctx
	// The browser lives as long as the context of the first call.
	require.NoError(t, chromedp.Do(ctx))
	return p
}

type counted struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	require.NoError(p, chromedp.Do(ctx, steps...))
}

// run evaluates a script.
func run[T any](p *page, script string) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	require.NoError(p, err)
	return value
}

// until waits for a text.
func (p *page) until(selector, text string) {
	p.Helper()
	var got string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got = run[string](p, "document.querySelector("+strconv.Quote(selector)+").textContent"); strings.Contains(got, text) {
			return
		}
	}
	p.Fatalf("%s says %q, and not %q", selector, got, text)
}

// picture writes a screenshot into the folder that WATCHBED_PICTURES names.
func (p *page) picture(name string) {
	dir := os.Getenv("WATCHBED_PICTURES")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p, err)
	require.NoError(p, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// noSideways fails if the page is wider than the window.
func (p *page) noSideways() {
	p.Helper()
	require.LessOrEqual(p, run[int](p, "document.documentElement.scrollWidth"), run[int](p, "innerWidth"))
}

// TestSearchAndGoThroughARun: a search in the page finds etcd #15220; its run is made smaller, gone through, and takes
// another course, with another option and by another step.
func TestSearchAndGoThroughARun(t *testing.T) {
	p := open(t)
	began := time.Now()
	p.do(chromedp.Navigate(p.server.URL), chromedp.WaitVisible("#form"))
	painted := time.Since(began)
	p.until("#summary", "Progress overtakes")
	t.Logf("painted after %v, ready after %v, %d bytes", painted, time.Since(began), p.bytes.Load())
	require.Less(t, p.bytes.Load(), int64(6_000_000))
	p.picture("start")
	p.do(chromedp.SetValue("#form [name=etcd]", "3.5.7"), chromedp.SetValue("#form [name=count]", "300"), chromedp.Click("#search"))
	p.until("#status", "300 schedules: 2 of 2 claims violated.")
	p.picture("search")
	p.do(chromedp.Click("#counts tr:first-child a"))
	p.until("#title", "linearizable is violated")
	p.until("#claims", "linearizable violated")
	p.picture("run")

	p.do(chromedp.Click("#smaller"))
	p.until("#about", "35 steps")
	p.until("#when", "Step 35 of 35: reader-1")
	p.until("#claims", "linearizable violated")
	p.picture("smaller")
	link := run[string](p, "location.href")

	// Back to the step at which sendLoop takes progress before the event.
	p.do(chromedp.KeyEvent(kb.Home))
	p.until("#when", "Step 1 of 35")
	p.do(chromedp.KeyEvent("n"), chromedp.KeyEvent("n"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent("k"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.ArrowUp))
	p.until("#when", "Step 34 of 35: cache")
	p.until("#claims", "linearizable vacuous")
	p.do(chromedp.SendKeys("#find input", "while the event of revision 2"+kb.Enter))
	p.until("#when", "Step 29 of 35: etcd")
	p.until("#says", "sendLoop takes from ctrlStream, while the event of revision 2 still waits in the watch channel")
	p.until("#state", "watch channel")
	p.until("#others", "takes watchStream")
	run[bool](p, `[...document.querySelectorAll("#others button")].find(b => b.textContent.includes("takes watchStream")).click(), true`)
	p.until("#title", "issue-15220: no claim is violated")
	require.NotEqual(t, link, run[string](p, "location.href"))
	p.picture("another-course")
	run[bool](p, "history.back(), true")
	p.until("#title", "linearizable is violated")

	p.do(chromedp.Click("#why"))
	p.until("#about", "One behaviour of etcd decides: progress=control-queue.")
	p.do(chromedp.SendKeys("#flip input", "progress=deferred"), chromedp.Click("#flip button"))
	p.until("#title", "issue-15220: no claim is violated")
	p.until("#about", "With progress=deferred.")

	// The link alone, in a new page, on a telephone.
	p.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	p.until("#about", "35 steps")
	p.until("#others", "fire")
	p.noSideways()
	p.picture("telephone")
}

// TestLinksThatCannotBeOpened: the page says why in one sentence.
func TestLinksThatCannotBeOpened(t *testing.T) {
	p := open(t)
	for link, want := range map[string]string{
		"2.AAAA":                    "The link has format 2, which is newer than this program (1).",
		"1.AAAA":                    "The link is cut off, or was changed on its way.",
		"<script>alert(1)</script>": `This is no link to a run: those begin with "1.".`,
	} {
		p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.server.URL+"/#"+link))
		p.until("#status", want)
	}
}
