package model

// Inside is what the paths of nodes below a directory begin with.
func Inside(dir string) string {
	if dir == "/" {
		return dir
	}
	return dir + "/"
}
