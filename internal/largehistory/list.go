package largehistory

import (
	"bufio"
	"fmt"
	"io"
)

// WriteList writes a Kubernetes audit log of one LIST of so many objects and one more, which was
// created before. A stale LIST is of a revision before that, and lacks the object.
func WriteList(to io.Writer, objects int, stale bool) error {
	w := bufio.NewWriter(to)
	created, listed := objects+10, objects+20
	last, revision := "created", created
	if stale {
		last, revision, listed = "older", objects+4, objects+5
	}
	fmt.Fprintf(w, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"create","stage":"ResponseComplete",`+
		`"requestURI":"/api/v1/namespaces/default/pods","verb":"create","user":{"username":"admin"},`+
		`"objectRef":{"resource":"pods","namespace":"default","apiVersion":"v1"},"responseStatus":{"code":201},`+
		`"responseObject":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"created","namespace":"default","resourceVersion":"%d"}},`+
		`"requestReceivedTimestamp":"2025-01-01T00:00:01.000000Z","stageTimestamp":"2025-01-01T00:00:02.000000Z"}`+"\n", created)
	fmt.Fprintf(w, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"list","stage":"ResponseComplete",`+
		`"requestURI":"/api/v1/pods","verb":"list","user":{"username":"admin"},"objectRef":{"resource":"pods","apiVersion":"v1"},`+
		`"responseStatus":{"code":200},"responseObject":{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[`, listed)
	for i := range objects {
		fmt.Fprintf(w, `{"metadata":{"name":"pod-%07d","namespace":"default","resourceVersion":"%d"}},`, i, i+2)
	}
	fmt.Fprintf(w, `{"metadata":{"name":"%s","namespace":"default","resourceVersion":"%d"}}`, last, revision)
	fmt.Fprintln(w, `]},"requestReceivedTimestamp":"2025-01-01T00:00:03.000000Z","stageTimestamp":"2025-01-01T00:00:04.000000Z"}`)
	return w.Flush()
}
