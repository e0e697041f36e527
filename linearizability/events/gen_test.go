package events

// pick draws from [0, n).
type pick func(n int) int

// splitMix is a seeded pick.
func splitMix(seed uint64) pick {
	return func(n int) int {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return int((z ^ z>>31) >> 33 % uint64(n))
	}
}
