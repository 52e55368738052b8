package native

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/metric"
)

var (
	update = flag.Bool("native.update", false, "measure the rows of the change that is compiled in, and write the table and the page")
	only   = flag.String("native.only", "", "measure only rows whose names have this in them")
	change = flag.String("native.change", "", "the change that is compiled in; \"go run ./measure reproduce -native\" says it")
)

// data is the file with all that was measured, page the one that shows it.
const (
	data = "rates.json"
	page = "README.md"
)

// schedules is how many each row runs on each side.
const schedules = 1000

// TestRates: each property is violated about as often natively as in WebAssembly, or there is a reason why not, and the
// page shows the rows.
func TestRates(t *testing.T) {
	if *update {
		measureAll(t)
	}
	all := read(t)
	require.Empty(t, amiss(all))
	shown, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, render(all), string(shown), "the page is not that of the table: run the tests with -native.update")
}

func read(t *testing.T) []measured {
	text, err := os.ReadFile(data)
	require.NoError(t, err)
	var all []measured
	require.NoError(t, json.Unmarshal(text, &all))
	return all
}

func write(t *testing.T, all []measured) {
	text, err := json.MarshalIndent(all, "", "\t")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(data, append(text, '\n'), 0o644))
}

// measureAll measures the rows of the change that is compiled in.
func measureAll(t *testing.T) {
	all := read(t)
	for i := range rows {
		r := &rows[i]
		if r.Change == *change && strings.Contains(r.String(), *only) {
			all = put(all, r.measure(t))
			write(t, all)
		}
	}
	require.NoError(t, os.WriteFile(page, []byte(render(all)), 0o644))
}

// measure runs a row on both sides.
func (r *row) measure(t *testing.T) measured {
	m := measured{row: *r}
	native := r.native(t, 0, schedules)
	random, served := r.compiled(t, 0, schedules, anyOrder), r.compiled(t, 0, schedules, inOrder)
	m.Same = native.same(served)
	for _, property := range r.claims(t) {
		m.Claims = append(m.Claims, claim{
			property, rate{native.violated[property], schedules}, rate{random.violated[property], schedules}, rate{served.violated[property], schedules},
		})
	}
	t.Log(m.String(), m.Same, m.Claims)
	return m
}

// put puts what was measured of a row in its place, in the order of the rows.
func put(all []measured, m measured) []measured {
	var put []measured
	for i := range rows {
		of := find(all, &rows[i])
		if rows[i].String() == m.String() {
			of = &m
		}
		if of != nil {
			put = append(put, *of)
		}
	}
	return put
}

// TestAmissIsFound: a row without figures and one too many, a difference without a reason, and a reason without a
// difference.
func TestAmissIsFound(t *testing.T) {
	written, why := rows, reasons
	defer func() { rows, reasons = written, why }()
	a, b, c := row{Scenario: "a", Etcd: "1"}, row{Scenario: "b", Etcd: "1"}, row{Scenario: "c", Etcd: "1"}
	rows = []row{a, b}
	reasons = map[[2]string]string{{"b on etcd 1", "ordered"}: "none"}
	far := claim{"unique", rate{30, 100}, rate{60, 100}, rate{30, 100}}
	near := claim{"ordered", rate{30, 100}, rate{40, 100}, rate{30, 100}}
	require.Equal(t, []string{
		"a on etcd 1: unique differs, and there is no reason for it",
		"b on etcd 1 was not measured",
		"c on etcd 1 is in the table, and not among the rows",
		"there is a reason why ordered differs in b on etcd 1, and it does not",
	}, amiss([]measured{{row: a, Claims: []claim{far, near}}, {row: c}}))
}

// again is how many schedules are run once more, and surprising a chance that is too small for a test that runs every
// day.
const (
	again      = 40
	surprising = 1e-5
)

// TestRatesAreMeasuredAgain: a native run cannot be repeated, but what is violated in a half of the schedules is so
// again.
func TestRatesAreMeasuredAgain(t *testing.T) {
	if *change != "" {
		t.Skip("the rows without a change are run again")
	}
	all := read(t)
	for _, r := range rows[:2] {
		m := find(all, &r)
		require.NotNil(t, m, r.String())
		counted := r.native(t, schedules, again)
		for _, c := range m.Claims {
			k := counted.violated[c.Property]
			require.Greater(t, metric.FisherTwoSided(k, again, c.Native.Violated, c.Native.Schedules), surprising,
				"%s: %s is violated in %d of %d schedules, and in %v of the table", r.String(), c.Property, k, again, c.Native)
		}
	}
}

// TestOneSidedChangeIsToldApart: a bug that one of the two programs has alone is seen.
func TestOneSidedChangeIsToldApart(t *testing.T) {
	all := read(t)
	told := 0
	for i := range all {
		with := &all[i]
		if with.Change == "" {
			continue
		}
		other := with.row
		other.Change = ""
		without := find(all, &other)
		require.NotNil(t, without, "%s has no row without the change", with.String())
		require.NotEmpty(t, differences(with, without), "%s natively, and without the change in WebAssembly", with.String())
		require.NotEmpty(t, differences(without, with), "%s in WebAssembly, and without the change natively", with.String())
		told++
	}
	require.NotZero(t, told)
}
