//go:build wasip1

package main

import (
	"os"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// logCore takes the log of the server. What ends the process is written to standard error, as the host reads there why
// a guest ended.
type logCore struct {
	zapcore.LevelEnabler
	encoder zapcore.Encoder
	// sends: lines go to the host.
	sends bool
	// last is why the server stops.
	last *string
}

// newLog is a log of which the host is told, or is not.
func newLog(sends bool) *logCore {
	level := zapcore.WarnLevel
	if sends {
		level = zapcore.InfoLevel
	}
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		LevelKey: "level", MessageKey: "msg", EncodeLevel: zapcore.LowercaseLevelEncoder, EncodeDuration: zapcore.StringDurationEncoder,
	})
	return &logCore{LevelEnabler: level, encoder: encoder, sends: sends, last: new(string)}
}

func (c *logCore) logger() *zap.Logger { return zap.New(c) }

// why is why the server has stopped.
func (c *logCore) why() string { return *c.last }

// With implements zapcore.Core.
func (c *logCore) With(fields []zapcore.Field) zapcore.Core {
	w := *c
	w.encoder = c.encoder.Clone()
	for _, f := range fields {
		f.AddTo(w.encoder)
	}
	return &w
}

// Check implements zapcore.Core.
func (c *logCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.sends && c.Enabled(e.Level) || e.Level >= zapcore.DPanicLevel || e.Message == serverError {
		return checked.AddCore(e, c)
	}
	return checked
}

// serverError is the message of etcd's log that says why a server stops.
const serverError = "server error"

// Write implements zapcore.Core.
func (c *logCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	if e.Message == serverError {
		for _, f := range fields {
			if err, ok := f.Interface.(error); ok {
				*c.last = err.Error()
			}
		}
	}
	text, err := c.encoder.EncodeEntry(e, fields)
	if err != nil {
		return err
	}
	line := strings.TrimRight(text.String(), "\n")
	if c.sends {
		protocol.Send(new(protocol.Writer).Begin(protocol.Logged, 0).Text(line))
	}
	if e.Level >= zapcore.DPanicLevel {
		os.Stderr.WriteString("panic: " + line + "\n")
	}
	return nil
}

// Sync implements zapcore.Core.
func (*logCore) Sync() error { return nil }
