package option_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/option"
)

type mode uint8

type config struct {
	mode   mode
	size   int
	period time.Duration
	pause  time.Duration
	on     bool
	name   string
	list   []string
	word   string
	large  int
	greet  greeting
}

type greeting uint8

var greetings = option.NewSeam[greeting, func() string]("greeting", "what is said")

var (
	hello = greetings.Register("hello", "as shipped", func() string { return "hello" })
	_     = hello
)

var options = option.NewGroup("toy",
	option.Choice("mode", func(c *config) *mode { return &c.mode }, "how it goes", option.Value{Name: "slow"}, option.Value{Name: "fast"}),
	option.Count("size", func(c *config) *int { return &c.size }, "128", "entries"),
	option.Duration("period", func(c *config) *time.Duration { return &c.period }, "100ms", "time between two"),
	option.Period("pause", func(c *config) *time.Duration { return &c.pause }, "3s", "time after it"),
	option.Switch("on", func(c *config) *bool { return &c.on }, "whether it runs"),
	option.Text("name", func(c *config) *string { return &c.name }, func(string) error { return nil }, "a name", "its name"),
	option.Words("word", func(c *config) *string { return &c.word }, "one of two", option.Val("this", "the first"), option.Val("that", "the second")),
	option.Count("large", func(c *config) *int { return &c.large }, "128", "entries").From(65),
	option.List("list", func(c *config) *[]string { return &c.list }, refuseX, "some names"),
	option.SeamOption(greetings, func(c *config) *greeting { return &c.greet }),
)

func refuseX(names []string) error {
	if slices.Contains(names, "x") {
		return errors.New("list: x is not known")
	}
	return nil
}

func TestEveryFormIsSetAndReadBack(t *testing.T) {
	var c config
	for _, s := range []option.Setting{{"mode", "fast"}, {"size", "7"}, {"period", "20ms"}, {"pause", "1s"}, {"on", "true"}, {"name", "x"}, {"word", "that"}, {"large", "65"}, {"list", "a,b"}} {
		require.NoError(t, options.Set(&c, s.Name, s.Value))
	}
	assert.Equal(t, config{mode: 1, size: 7, period: 20 * time.Millisecond, pause: time.Second, on: true, name: "x", word: "that", large: 65, list: []string{"a", "b"}}, c)
	assert.Equal(t, []option.Setting{{"mode", "fast"}, {"size", "7"}, {"period", "20ms"}, {"pause", "1s"}, {"on", "true"}, {"name", "x"}, {"word", "that"}, {"large", "65"}, {"list", "a,b"}, {"greeting", "hello"}}, options.Expand(&c))
}

func TestBadValuesAreOneClearLine(t *testing.T) {
	for setting, want := range map[option.Setting]string{
		{"mode", "fsat"}:    `mode has no value "fsat"; did you mean "fast"?`,
		{"size", "-1"}:      "size=-1: want a whole number from 0 to 10000000",
		{"size", "x"}:       "size=x: want a whole number from 0 to 10000000",
		{"period", "2h"}:    "period=2h: want a duration from 0s to 1h, such as 100ms",
		{"pause", "999us"}:  "pause=999us: want a duration from 1ms to 1h, such as 250ms, or 0s for the default of 3s",
		{"pause", "-1s"}:    "pause=-1s: want a duration from 1ms to 1h, such as 250ms, or 0s for the default of 3s",
		{"pause", "50"}:     "pause=50: want a duration from 1ms to 1h, such as 250ms, or 0s for the default of 3s",
		{"pause", "61m"}:    "pause=61m: want a duration from 1ms to 1h, such as 250ms, or 0s for the default of 3s",
		{"word", "tht"}:     `word has no value "tht"; did you mean "that"?`,
		{"large", "64"}:     "large=64: want a whole number from 65 to 10000000",
		{"large", "-1"}:     "large=-1: want a whole number from 65 to 10000000",
		{"list", "a,x"}:     "list: x is not known",
		{"on", "perhaps"}:   "on=perhaps: want true or false",
		{"sizes", "1"}:      `unknown option "sizes"; did you mean "size"?`,
		{"greeting", "hey"}: `greeting has no value "hey"; there are hello`,
	} {
		before := config{size: 3}
		after := before
		assert.EqualError(t, options.Set(&after, setting.Name, setting.Value), want)
		assert.Equal(t, before, after, "a refused value changes nothing")
	}
}

func TestNothingStandsForTheFirstWordAndForTheNodesOwnAmount(t *testing.T) {
	c := config{word: "that", large: 65}
	require.NoError(t, options.Set(&c, "word", ""))
	require.NoError(t, options.Set(&c, "large", "0"))
	assert.Equal(t, config{}, c)
	assert.Equal(t, "this", options.Lookup("word").Default)
	assert.Equal(t, []option.Value{option.Val("this", "the first"), option.Val("that", "the second")}, options.Lookup("word").Values())
}

func TestFieldsAreOptionsByTheirTags(t *testing.T) {
	type inner struct {
		Pause time.Duration `option:"pause" zero:"3s" least:"1ms" doc:"time after it"`
		Bytes int           `option:"bytes" zero:"2 MB" doc:"its size"`
	}
	type tagged struct {
		Size  int `option:"size" zero:"128" least:"65" doc:"entries"`
		Other int
		inner
		Limit int  `option:"limit" zero:"no limit" doc:"at most"`
		On    bool `option:"on" doc:"whether it runs"`
	}
	group := option.Lift(option.Fields[tagged]("toy"), func(c *tagged) *tagged { return c })
	c := tagged{inner: inner{Pause: time.Minute}}
	group.Fill(&c)
	assert.Equal(t, tagged{Size: 128, inner: inner{Pause: time.Minute, Bytes: 2_000_000}}, c)
	require.NoError(t, group.Set(&c, "on", "true"))
	assert.Equal(t, []option.Setting{{"size", "128"}, {"pause", "1m0s"}, {"bytes", "2000000"}, {"limit", "0"}, {"on", "true"}}, group.Expand(&c))
	assert.ErrorContains(t, group.Set(&c, "size", "64"), "from 65")
	assert.ErrorContains(t, group.Set(&c, "pause", "1us"), "default of 3s")
}

func TestAnotherModuleAddsAValueToASeam(t *testing.T) {
	moin := greetings.Register("moin", "from outside", func() string { return "moin" })
	var c config
	require.NoError(t, options.Set(&c, "greeting", "moin"))
	assert.Equal(t, moin, c.greet)
	assert.Equal(t, "moin", greetings.Of(c.greet)())
	o, err := options.Find("greeting")
	require.NoError(t, err)
	assert.Equal(t, []option.Value{option.Val("hello", "as shipped"), option.Val("moin", "from outside")}, o.Values())
	assert.Panics(t, func() { greetings.Register("hello", "", nil) })
}

func TestLiftedOptionsSetThePart(t *testing.T) {
	type whole struct{ toy config }
	lifted := option.Lift(options, func(w *whole) *config { return &w.toy })
	var w whole
	require.NoError(t, lifted.Set(&w, "size", "9"))
	assert.Equal(t, 9, w.toy.size)
	o, err := lifted.Find("size")
	require.NoError(t, err)
	assert.Equal(t, "toy", o.Node)
	assert.Equal(t, "9", o.Get(&w))
	assert.Panics(t, func() { option.Join(lifted, lifted) }, "two options of one name")
}

func TestPresetsThatContradictEachOtherAreRefused(t *testing.T) {
	fast := &option.Preset{Name: "fast", Settings: []option.Setting{{"mode", "fast"}, {"size", "1"}}}
	slow := &option.Preset{Name: "slow", Settings: []option.Setting{{"mode", "slow"}}}
	one := &option.Preset{Name: "one", Settings: []option.Setting{{"size", "1"}}}
	var c config
	require.NoError(t, options.ApplyAll(&c, fast, one))
	assert.Equal(t, config{mode: 1, size: 1}, c)
	assert.EqualError(t, options.ApplyAll(&c, fast, slow), `"fast" and "slow" both set mode; give one of them`)
	wrong := &option.Preset{Name: "wrong", Settings: []option.Setting{{"mode", "x"}}}
	assert.ErrorContains(t, options.Apply(&c, wrong), `wrong: mode has no value "x"`)
}

func TestSettingsAreReadAsNameAndValue(t *testing.T) {
	s, err := option.ParseSetting("a=b=c")
	require.NoError(t, err)
	assert.Equal(t, option.Setting{Name: "a", Value: "b=c"}, s)
	for _, text := range []string{"a", "=b", ""} {
		_, err := option.ParseSetting(text)
		assert.EqualError(t, err, `"`+text+`": want NAME=VALUE`)
	}
}
