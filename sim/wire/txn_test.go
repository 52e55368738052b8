package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestATransactionIsNamedByAllThatItDoes: each compare and each operation of both branches, those of transactions
// within it as well.
func TestATransactionIsNamedByAllThatItDoes(t *testing.T) {
	put := func(key string) RequestOp { return RequestOp{Put: &PutRequest{Key: key, Value: "1"}} }
	for want, r := range map[string]TxnRequest{
		"Txn Put /a=1, Put /b=1":          {Success: []RequestOp{put("/a"), put("/b")}},
		"Txn DeleteRange /a..., Put /a=1": {Success: []RequestOp{{DeleteRange: &DeleteRangeRequest{Key: "/a", RangeEnd: "\x00"}}, put("/a")}},
		"Txn if mod(/a) = 0 and val(/b...) != x then nothing else Range /a, (Txn if lease(/a) > 7 then DeleteRange /a)": {
			Compare: []Compare{{Key: "/a"}, {Key: "/b", RangeEnd: "/c", Target: CompareValue, Result: CompareNotEqual, Value: "x"}},
			Failure: []RequestOp{{Range: &RangeRequest{Key: "/a"}}, {Txn: &TxnRequest{
				Compare: []Compare{{Key: "/a", Target: CompareLease, Result: CompareGreater, Operand: 7}},
				Success: []RequestOp{{DeleteRange: &DeleteRangeRequest{Key: "/a"}}},
			}}},
		},
	} {
		require.Equal(t, want, r.Label())
	}
}
