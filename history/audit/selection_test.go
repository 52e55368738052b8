package audit_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/history/audit"
	"github.com/watchbed/watchbed/model"
)

// labeled is a pod with the label app.
func labeled(name, app string, revision int) string {
	return strings.Replace(pod(name, revision), `"app":"x"`, fmt.Sprintf(`"app":%q`, app), 1)
}

func byLabel(selector string) string { return "labelSelector=" + url.QueryEscape(selector) }
func byField(selector string) string { return "fieldSelector=" + url.QueryEscape(selector) }

// TestSelections: pods a and b of app x and c of app y are made, then listed with a selector.
// Revisions 103 and 104 were made by others.
func TestSelections(t *testing.T) {
	a, b, c := labeled("a", "x", 100), labeled("b", "x", 101), labeled("c", "y", 102)
	made := line(full, "create", "", "", 10, 20, 201, response(a)) +
		line(full, "create", "", "", 30, 40, 201, response(b)) +
		line(full, "create", "", "", 50, 60, 201, response(c))
	list := func(query string, called, revision int, meta string, items ...string) string {
		return line(full, "list", "", query, called, called+5, 200, pods("PodList", revision, meta, items...))
	}
	x := byLabel("app=x")
	for name, test := range map[string]struct {
		text string
		want model.Verdict
	}{
		"all that are selected":               {list(x, 70, 102, "", a, b), model.Holds},
		"by the absence of a label":           {list(byLabel("!app"), 70, 102, ""), model.Holds},
		"an older revision":                   {list(x, 70, 101, "", a, b), model.Violated},
		"an older revision, nothing selected": {list(byLabel("app=z"), 70, 101, ""), model.Violated},
		"any revision":                        {list(x+"&resourceVersion=0", 70, 101, "", a, b), model.Vacuous},
		"one is missing":                      {list(x, 70, 102, "", a), model.Violated},
		"one is missing, by a set":            {list(byLabel("app in (x,y)"), 70, 102, "", a, b), model.Violated},
		"another may have deleted one":        {list(x, 70, 103, "", a), model.Holds},
		"one is gone and comes back":          {list(x, 70, 103, "", a) + list(x, 80, 104, "", a, b), model.Violated},
		"one is missing from a later list":    {list(x, 70, 103, "", a) + list(x, 80, 103, "", a, b), model.Violated},
		"an object of a later revision":       {list(x, 70, 102, "", a, labeled("b", "x", 103)) + list(x, 80, 103, "", a, labeled("b", "x", 103)), model.Violated},
		"an object that a write replaced":     {line(full, "update", "b", "", 62, 64, 200, response(labeled("b", "x", 103))) + list(x, 70, 103, "", a, b), model.Violated},
		"a label that a write took away":      {line(full, "update", "b", "", 62, 64, 200, response(labeled("b", "y", 103))) + list(x, 70, 103, "", a), model.Holds},
		"a label that a write will take away": {list(x, 70, 102, "", a) + line(full, "update", "b", "", 80, 85, 200, response(labeled("b", "y", 103))), model.Violated},
		"one is missing, and gone later":      {list(x, 70, 102, "", a) + list(x, 80, 103, "", a), model.Violated},
		"one is missing, answered later":      {list(x, 70, 103, "", a) + list(x, 66, 102, "", a), model.Violated},
		"by name":                             {list(byField("metadata.name=b"), 70, 102, "", b), model.Holds},
		"by name, missing":                    {list(byField("metadata.name=b"), 70, 102, ""), model.Violated},
		"by another name":                     {list(byField("metadata.name=d"), 70, 102, ""), model.Holds},
		"by namespace, missing":               {list(byField("metadata.namespace=default"), 70, 102, "", a, b), model.Violated},
		"by another namespace":                {list(byField("metadata.namespace=other"), 70, 102, ""), model.Holds},
		"a field that the log does not have":  {list(byField("spec.nodeName=n")+"&"+x, 70, 102, "", a), model.Holds},
		"without such a field":                {list(byField("spec.nodeName!=n")+"&"+x, 70, 102, "", a), model.Holds},
		"that field, an older revision":       {list(byField("spec.nodeName=n")+"&"+x, 70, 101, "", a), model.Violated},
		"a page ends before what is missing":  {list(x+"&limit=1", 70, 102, `,"continue":"x"`, a), model.Holds},
	} {
		t.Run(name, func(t *testing.T) {
			j := judged(t, made+test.text)
			require.Equal(t, test.want, j.Verdict, "%+v", j)
		})
	}
}

// TestSelectionsOfObjectsThatWereRead: the labels of an object are known from a read, too.
func TestSelectionsOfObjectsThatWereRead(t *testing.T) {
	read := line(full, "get", "b", "", 10, 20, 200, response(labeled("b", "x", 101)))
	created := line(full, "create", "", "", 30, 40, 201, response(labeled("c", "y", 102)))
	for app, want := range map[string]model.Verdict{"x": model.Violated, "z": model.Holds} {
		list := line(full, "list", "", byLabel("app="+app), 50, 60, 200, pods("PodList", 102, ""))
		require.Equal(t, want, judged(t, read+created+list).Verdict)
	}
}

// TestWhatALaterListContradicts: the sentence names the later list that still shows the object.
func TestWhatALaterListContradicts(t *testing.T) {
	list := func(called, revision int, items ...string) string {
		return line(full, "list", "", byLabel("app=x"), called, called+5, 200, pods("PodList", revision, "", items...))
	}
	j := judged(t, line(full, "create", "", "", 10, 20, 201, response(pod("a", 100)))+list(30, 103)+list(40, 105, pod("a", 100)))
	require.Equal(t, model.Violated, j.Verdict)
	require.Contains(t, fmt.Sprint(j.Operations), `and the list of "/registry/pods/default/a" by jane, auditID 000040`)
}

// TestLaterPagesOfSelections: a page is of the state of its token, and begins behind the last
// object of the page before it.
func TestLaterPagesOfSelections(t *testing.T) {
	a, b := labeled("a", "x", 100), labeled("b", "x", 101)
	query := byLabel("app=x") + "&limit=1"
	for name, test := range map[string]struct {
		second string
		want   model.Verdict
	}{
		"sound":          {pods("PodList", 101, "", b), model.Holds},
		"one is missing": {pods("PodList", 101, ""), model.Violated},
		"a later object": {pods("PodList", 101, "", labeled("b", "x", 102)), model.Violated},
	} {
		t.Run(name, func(t *testing.T) {
			j := judgedBy(t, "exact", line(full, "create", "", "", 10, 20, 201, response(a))+
				line(full, "create", "", "", 30, 40, 201, response(b))+
				line(full, "list", "", query, 50, 60, 200, pods("PodList", 101, `,"continue":"x"`, a))+
				line(full, "update", "b", "", 70, 80, 200, response(labeled("b", "y", 102)))+
				line(full, "list", "", query+"&continue=x", 90, 100, 200, test.second))
			require.Equal(t, test.want, j.Verdict, "%+v", j)
		})
	}
}

// TestSelectionsOfAllNamespaces: the namespace of an object is what its key says.
func TestSelectionsOfAllNamespaces(t *testing.T) {
	made := line(full, "create", "", "", 10, 20, 201, response(pod("a", 100)))
	for field, want := range map[string]model.Verdict{"default": model.Violated, "other": model.Holds} {
		list := line(full, "list", "", byField("metadata.name=a,metadata.namespace="+field), 30, 40, 200, pods("PodList", 100, ""))
		list = strings.Replace(list, `"resource":"pods","namespace":"default"`, `"resource":"pods"`, 1)
		require.Equal(t, want, judged(t, made+list).Verdict)
	}
}

// TestSelectionsStaySmall: what follows from another list is not judged again.
func TestSelectionsStaySmall(t *testing.T) {
	var text strings.Builder
	for i := range 10 {
		text.WriteString(line(full, "create", "", "", 10*i+1, 10*i+5, 201, response(pod(fmt.Sprint("p", i), 100+i))))
	}
	const lists = 30
	for i := range lists {
		shown := make([]string, 0, 5)
		for p := range 5 {
			shown = append(shown, pod(fmt.Sprint("p", p), 100+p))
		}
		text.WriteString(line(full, "list", "", byLabel("app"), 1000+10*i, 1005+10*i, 200, pods("PodList", 200+i, "", shown...)))
	}
	h, notes, err := audit.Read(strings.NewReader(text.String()))
	require.NoError(t, err)
	require.Len(t, notes, 1)
	require.Len(t, h.Operations, 10+lists+2*5+5, "of five objects the first and the last list, of five others the first that lacks them")
	require.Equal(t, model.Holds, judged(t, text.String()).Verdict)
}

// TestSelectorsThatAreNotKnown: Kubernetes would have refused them.
func TestSelectorsThatAreNotKnown(t *testing.T) {
	for _, odd := range []string{byLabel("a in"), byField("a")} {
		h, notes, err := audit.Read(strings.NewReader(line(full, "list", "", odd, 10, 20, 200, pods("PodList", 5, ""))))
		require.NoError(t, err)
		require.Empty(t, h.Operations, odd)
		require.Len(t, notes, 2)
	}
}
