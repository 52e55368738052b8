package report

import (
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

// Series is what was measured of the ways of events in one campaign.
type Series struct {
	Name    string
	Metrics []summary.Metric
}

// Sizes of the picture of stages, in units of SVG.
const (
	stagesLeft, stagesPlot, stagesRight = 230, 420, 190
	stagesBar, stagesGap, stagesTop     = 12, 10, 64
)

var stageColours = []string{"#2563a8", "#b4540a", "#2f7d4f", "#7a3e9d"}

// ErrNoEvents is returned where nothing was measured.
var ErrNoEvents = errors.New("no event came from etcd to a client of a cache")

// WriteStages writes a picture (SVG) of how long events are in each stage of their way: a dot for the median, a bar up
// to the 99th percentile, a line up to the maximum, on a logarithmic axis. What Kubernetes would measure stands below.
func WriteStages(w io.Writer, title string, all []Series) error {
	var names []string
	of := map[string][]*summary.Metric{}
	lowest, highest := math.Inf(1), 0.0
	for i := range all {
		for j := range all[i].Metrics {
			m := &all[i].Metrics[j]
			name := stageName(m.Name)
			if name == "" {
				continue
			}
			if of[name] == nil {
				names, of[name] = append(names, name), make([]*summary.Metric, len(all))
			}
			of[name][i] = m
			highest = max(highest, m.Of.Max)
			for _, v := range []float64{m.Of.P50, m.Of.P99} {
				if v > 0 {
					lowest = min(lowest, v)
				}
			}
		}
	}
	if highest == 0 {
		return ErrNoEvents
	}
	first, last := math.Floor(math.Log10(min(lowest, highest))), math.Ceil(math.Log10(highest))
	x := func(v float64) float64 {
		return stagesLeft + stagesPlot*min(max((math.Log10(v)-first)/max(last-first, 1), 0), 1)
	}
	row := float64(len(all)*stagesBar + stagesGap)
	height, width := stagesTop+row*float64(len(names))+24, stagesLeft+stagesPlot+stagesRight
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" font-family="sans-serif" font-size="11">`+"\n", width, height)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" fill="#fff"/><text x="8" y="18" font-size="14">%s</text>`+"\n", html.EscapeString(title))
	for i := range all {
		fmt.Fprintf(w, `<text x="%d" y="38" fill="%s">&#9632; %s</text>`+"\n", 8+i*width/len(all), stageColours[i%len(stageColours)], html.EscapeString(all[i].Name))
	}
	for e := first; e <= last; e++ {
		fmt.Fprintf(w, `<path d="M%.1f %d V%.0f" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555">%s</text>`+"\n",
			x(math.Pow(10, e)), stagesTop, height-16, x(math.Pow(10, e)), stagesTop-6, summary.Seconds(math.Pow(10, e)))
	}
	fmt.Fprintf(w, `<text x="%d" y="%d" fill="#555">p50 / p99 / max</text>`+"\n", stagesLeft+stagesPlot+26, stagesTop-6)
	for i, name := range names {
		top := stagesTop + row*float64(i) + stagesGap/2
		fmt.Fprintf(w, `<text x="8" y="%.1f">%s</text>`+"\n", top+stagesBar-2, html.EscapeString(name))
		for j, m := range of[name] {
			if m == nil {
				continue
			}
			y, colour := top+float64(j*stagesBar)+stagesBar/2, stageColours[j%len(stageColours)]
			fmt.Fprintf(w, `<path d="M%.1f %.1f H%.1f" stroke="%s"/><path d="M%.1f %.1f H%.1f" stroke="%s" stroke-width="6"/><circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`,
				x(m.Of.P50), y, x(m.Of.Max), colour, x(m.Of.P50), y, x(m.Of.P99), colour, x(m.Of.P50), y, colour)
			fmt.Fprintf(w, `<text x="%d" y="%.1f" fill="%s">%s / %s / %s</text>`+"\n",
				stagesLeft+stagesPlot+12, y+4, colour, summary.Seconds(m.Of.P50), summary.Seconds(m.Of.P99), summary.Seconds(m.Of.Max))
		}
	}
	_, err := io.WriteString(w, "</svg>\n")
	return err
}

// stageName is what the picture calls a metric of the ways of events, empty for others.
func stageName(metric string) string {
	name, label, _ := strings.Cut(metric, `{stage="`)
	label = strings.TrimSuffix(label, `"}`)
	switch name {
	case "watch_event_stage_seconds":
		return label
	case "watch_event_seconds":
		return "all of the way"
	case "apiserver_watch_events_dispatch_duration_seconds":
		return "Kubernetes: " + label
	}
	return ""
}
