package fields

import "github.com/watchbed/watchbed/testbed"

// Field is one field of a message that a client can be sent.
type Field struct {
	// Path is the message type and the field, through nested types:
	// "ListResponse.Items.Value".
	Path string
	// JudgedBy are the properties each of which notices a wrong value, in a scenario
	// that claims it.
	JudgedBy []*testbed.Property
	// NotJudged is the reason why no property looks at the field, in one clause. It
	// is empty if and only if there is something in JudgedBy.
	NotJudged string
}

// by are the rows of fields below a prefix that the same properties judge.
func by(properties []*testbed.Property, prefix string, names ...string) []Field {
	var rows []Field
	for _, name := range names {
		rows = append(rows, Field{Path: prefix + "." + name, JudgedBy: properties})
	}
	return rows
}

// notBy are the rows of fields below a prefix that nothing judges, for one reason.
func notBy(reason, prefix string, names ...string) []Field {
	var rows []Field
	for _, name := range names {
		rows = append(rows, Field{Path: prefix + "." + name, NotJudged: reason})
	}
	return rows
}

// of makes a list of properties.
func of(properties ...*testbed.Property) []*testbed.Property { return properties }

// keyValue are the fields of a wire.KeyValue, without the lease.
var keyValue = []string{"Key", "Value", "CreateRevision", "ModRevision", "Version"}
