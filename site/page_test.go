//go:build !js

package main

import (
	"context"
	"encoding/json"
	"fmt"
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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/site/debugger"
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

// linkOf is the link of a recorded story.
func (p *page) linkOf(name string) string {
	p.Helper()
	rec, err := recording.Open("../report/testdata/stories/" + name + ".json")
	require.NoError(p, err)
	made, _ := rec.MadeFor()
	link, err := diagnosis.LinkTo(rec, made)
	require.NoError(p, err)
	return p.server.URL + "/#" + link
}

// pictures are those of the page in each width, light and dark. Without a folder for them only the widths are tried.
func (p *page) pictures(name string) {
	p.Helper()
	for _, width := range []int64{1440, 1024, 390} {
		p.do(chromedp.EmulateViewport(width, 900))
		p.noSideways()
		for _, scheme := range []string{"light", "dark"} {
			p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
				_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
				})
				return err
			}))
			p.picture(fmt.Sprintf("%s-%d-%s", name, width, scheme))
		}
	}
	p.do(chromedp.EmulateViewport(1440, 900))
}

// TestSearchForSituations: a search finds the runs in which one comes about, and two in an order; a link opens at its step.
// It can be cancelled.
func TestSearchForSituations(t *testing.T) {
	p := open(t)
	p.do(chromedp.Navigate(p.server.URL), chromedp.WaitVisible("#form"))
	p.until("#summary", "Progress overtakes")
	p.do(chromedp.SendKeys("#form [name=reaches]", "etcd: synced watcher notified"), chromedp.SendKeys("#form [name=then]", "etcd: progress overtook events"),
		chromedp.SetValue("#form [name=count]", "200"), chromedp.Click("#search"))
	p.until("#status", "200 schedules: ")
	p.until("#reached", `"etcd: synced watcher notified", and at or after it "etcd: progress overtook events": in `)
	p.pictures("situations")
	p.do(chromedp.Click("#reached li:first-child a:last-child"))
	p.until("#says", "reached: etcd: progress overtook events")
	p.do(chromedp.SendKeys("#find input", "synced watcher notified"+kb.Enter))
	p.until("#says", "reached: etcd: synced watcher notified")

	p.do(chromedp.Click("header .name"), chromedp.WaitVisible("#form"), chromedp.SetValue("#form [name=reaches]", "etcd: dances"), chromedp.Click("#search"))
	p.until("#status", `There is no situation "etcd: dances"`)
	p.do(chromedp.SetValue("#form [name=reaches]", "etcd: progress overtook events"), chromedp.SetValue("#form [name=count]", "100000"), chromedp.Click("#search"))
	p.until("#status", " of 100000 schedules")
	p.do(chromedp.Click("#cancel"))
	p.until("#status", "Cancelled.")
}

// TestLanesAreLoops: etcd's loops have a lane each, and what one wakes in another has an arrow; the nodes have one lane each
// on a telephone and after a key or a click.
func TestLanesAreLoops(t *testing.T) {
	p := open(t)
	p.do(chromedp.Navigate(p.linkOf("issue-15220")))
	p.until("#others", "fire")
	const names = `[...document.querySelectorAll("#lanes .lane")].map(e => e.textContent).join("|")`
	lanes := run[string](p, names)
	for _, loop := range []string{"recvLoop", "sendLoop", "applyLoop", "kvServer", "Reflector", "GetList", "reader-1"} {
		require.Contains(t, "|"+lanes+"|", "|"+loop+"|")
	}
	require.Contains(t, run[string](p, `[...document.querySelectorAll("#lanes .group")].map(e => e.textContent).join("|")`), "etcd")
	require.Positive(t, run[int](p, `document.querySelectorAll("#drawing .wakes").length`))
	p.pictures("loops-20")
	p.do(chromedp.SendKeys("#find input", "takes ctrlStream"+kb.Enter))
	p.until("#when", "etcd, sendLoop client.0")
	step := run[string](p, `document.querySelector("#when").textContent`)
	p.do(chromedp.Focus("#diagram"), chromedp.KeyEvent("K"))
	p.until("#when", "etcd, sendLoop client.0")
	require.NotEqual(t, step, run[string](p, `document.querySelector("#when").textContent`))

	p.do(chromedp.KeyEvent("l"))
	lanes = run[string](p, names)
	require.NotContains(t, lanes, "Loop")
	require.Contains(t, lanes, "etcd")
	require.Equal(t, "false", run[string](p, `document.querySelector("#loops").getAttribute("aria-pressed")`))
	p.do(chromedp.Click("#loops"))
	require.Contains(t, run[string](p, names), "sendLoop")
	require.Equal(t, "true", run[string](p, `document.querySelector("#loops").getAttribute("aria-pressed")`))

	p.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate("about:blank"), chromedp.Navigate(p.linkOf("issue-15220")))
	p.until("#others", "fire")
	require.NotContains(t, run[string](p, names), "Loop")
}

// TestManySteps: a run of about 2,000 steps is drawn as far as it is seen, with all loops after a key, beside another one
// too.
func TestManySteps(t *testing.T) {
	p := open(t)
	question, err := json.Marshal(debugger.Question{Scenario: "watch-guarantees", Set: []string{"writers=6", "writes=80"}})
	require.NoError(t, err)
	answer, err := new(debugger.Debugger).Call("run", question)
	require.NoError(t, err)
	var v debugger.View
	require.NoError(t, json.Unmarshal(answer, &v))
	t.Log(len(v.Steps), "steps")
	require.InDelta(t, 2000, len(v.Steps), 500)
	p.do(chromedp.Navigate(p.server.URL + "/#" + v.Link))
	p.until("#others", "fire")
	p.do(chromedp.Focus("#diagram"), chromedp.KeyEvent(kb.Home))
	for range 40 {
		p.do(chromedp.KeyEvent("j"))
	}
	p.until("#when", "Step 41 of ")
	p.pictures("loops-2000")
	require.Less(t, run[int](p, `document.querySelectorAll("#drawing .row").length`), 60)
	p.do(chromedp.KeyEvent("l"), chromedp.KeyEvent("l"))
	began := time.Now()
	p.do(chromedp.KeyEvent(kb.End))
	p.until("#when", fmt.Sprintf("Step %d of ", len(v.Steps)))
	require.Less(t, time.Since(began), 2*time.Second)
	p.noSideways()
	p.picture("loops-2000-all")
	p.do(chromedp.SendKeys("#flip input", "progress=deferred"), chromedp.Click("#flip button"))
	p.until("#about", "With ")
	p.until("#about", "progress=deferred")
	p.do(chromedp.Focus("#diagram"), chromedp.KeyEvent("c"))
	p.until("#about", "Beside it, on the right: ")
	p.pictures("beside-2000")
}

// TestTwoRunsBesideEachOther: after another option the run before stands beside the new one, with the first difference
// marked; its address opens the same.
func TestTwoRunsBesideEachOther(t *testing.T) {
	p := open(t)
	p.do(chromedp.Navigate(p.linkOf("issue-15220")))
	p.until("#others", "fire")
	p.do(chromedp.SendKeys("#flip input", "progress=deferred"), chromedp.Click("#flip button"))
	p.until("#title", "no claim is violated")
	p.do(chromedp.Focus("#diagram"), chromedp.KeyEvent("c"))
	p.until("#about", "Beside it, on the right: ")
	const first = `document.querySelector("#drawing .first").getAttribute("aria-label")`
	require.Contains(t, run[string](p, first), "first difference; this run, step ")
	require.Contains(t, run[string](p, `document.querySelector("#drawing [aria-current]").getAttribute("aria-label")`), "first difference")
	for _, row := range run[[]string](p, `[...document.querySelectorAll("#drawing .row")].filter(r => r.querySelectorAll(".half").length == 2 && !r.querySelector(".other")).map(r => r.getAttribute("aria-label"))`) {
		require.Regexp(t, "this run, step .*; the other run, step ", row)
	}
	p.pictures("beside-20")
	when := run[string](p, `document.querySelector("#when").textContent`)
	require.NotContains(t, when, "in the other run")
	p.do(chromedp.KeyEvent("o"))
	p.until("#when", "in the other run")
	address := run[string](p, "location.href")
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
	p.until("#about", "Beside it, on the right: ")
	p.until("#when", when)
	p.do(chromedp.Click("#compare"))
	p.until("#compare", "Beside the run before")
	require.Equal(t, 0, run[int](p, `document.querySelectorAll("#drawing .first").length`))
}

// TestFaultsAndQuestions: a fault has a mark in the lane of what it strikes, and the answers to a question are one sentence.
func TestFaultsAndQuestions(t *testing.T) {
	p := open(t)
	p.do(chromedp.Navigate(p.linkOf("bug-issue-13766")))
	p.until("#others", "fire")
	p.do(chromedp.SendKeys("#find input", "fault: "+kb.Enter))
	p.until("#says", "the fault strikes etcd-followeretcd-follower restores")
	require.Positive(t, run[int](p, `document.querySelectorAll("#drawing .fault").length`))
	p.picture("fault")
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.linkOf("bug-budget-unbounded")))
	p.until("#about", "trace hash")
	p.do(chromedp.KeyEvent(kb.Home))
	for range 20 {
		p.until("#claims", " ")
		if strings.Contains(run[string](p, `document.querySelector("#others").textContent`), " here; or ") {
			break
		}
		p.do(chromedp.KeyEvent("j"))
	}
	p.until("#others", " delay of ")
	p.until("#others", ", 0 to 4: 0 here; or 1, 2, 3, 4")
	require.NotContains(t, run[string](p, `document.querySelector("#others").textContent`), "choose ")
	p.picture("question")
	link := run[string](p, "location.href")
	run[bool](p, `[...document.querySelectorAll("#others button")].find(b => b.ariaLabel && b.ariaLabel.endsWith("0 to 4: 3")).click(), true`)
	for end := time.Now().Add(time.Minute); link == run[string](p, "location.href"); time.Sleep(50 * time.Millisecond) {
		require.True(t, time.Now().Before(end))
	}
}

// TestWhenItWasInevitable: the step is chosen and marked, and the nearest schedule that passes is a click away, beside this
// one.
func TestWhenItWasInevitable(t *testing.T) {
	p := open(t)
	p.do(chromedp.Navigate(p.linkOf("issue-15220")))
	p.until("#others", "fire")
	p.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("i"))
	p.until("#about", "random continuations of the run fail")
	require.Positive(t, run[int](p, `document.querySelectorAll("#drawing .settled").length`))
	require.Contains(t, run[string](p, `document.querySelector("#drawing [aria-current]").getAttribute("aria-label")`), "after this step the violation was inevitable")
	p.picture("inevitable")
	p.do(chromedp.Click("#about a:last-child"))
	p.until("#about", "Beside it, on the right: a run in which no claim is violated")
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
