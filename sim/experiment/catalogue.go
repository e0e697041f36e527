package experiment

// Catalogue returns all built-in experiments.
func Catalogue() []Experiment {
	return []Experiment{drift(), fencing(), recovery()}
}
