package history

// The kinds of lines of a history.
type (
	Header        = headerJSON
	OperationLine = operationJSON
	WatchLine     = watchJSON
)
