package model

// Inside returns the prefix of the paths of all nodes below a directory.
func Inside(dir string) string {
	if dir == "/" {
		return dir
	}
	return dir + "/"
}
