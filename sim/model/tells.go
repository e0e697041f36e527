package model

import "github.com/chubbycell/chubby/replica/api"

// Tells says that an answer does more than to refuse.
func Tells(r api.Result) bool {
	return r.Code == api.OK || r.Found || r.Value != "" || r.Detail != nil || len(r.Pairs) > 0
}
