package experiment

import "time"

// Share is a share of seeds, with its 95 % confidence interval by Wilson's score.
type Share struct {
	Hits  int     `json:"hits"`
	Of    int     `json:"of"`
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ShareOf returns the share of hits in of seeds.
func ShareOf(hits, of int) Share {
	s := Share{Hits: hits, Of: of}
	if of > 0 {
		s.Share = float64(hits) / float64(of)
	}
	s.Low, s.High = wilson(hits, of)
	return s
}

// Quantile estimates a quantile, in percent, of durations that are given by seed. The estimate is
// in seconds, and its interval comes from resampling seeds; there is none if fewer than six seeds
// have durations. If there is no duration, it is 0.
func Quantile(bySeed [][]time.Duration, percent int) Estimate {
	seconds := make([][]float64, len(bySeed))
	for i, all := range bySeed {
		for _, d := range all {
			seconds[i] = append(seconds[i], d.Seconds())
		}
	}
	p := newPool(seconds)
	if len(p.all) == 0 {
		return Estimate{}
	}
	return bootstrap(len(bySeed), p.seeds(), func(times []int) float64 { return p.quantile(times, percent) })
}

// Ratio estimates the sum of part over the sum of whole, both given by seed.
func Ratio(part, whole []uint64) Estimate { return ratio(part, whole) }
