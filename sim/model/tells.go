package model

import "github.com/chubbycell/chubby/replica/api"

// Tells reports whether an answer carries information beyond a refusal.
func Tells(r api.Result) bool {
	return r.Code == api.OK || r.Found || r.Value != "" || r.Detail != nil || len(r.Pairs) > 0
}
