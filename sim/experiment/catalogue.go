package experiment

// Catalogue lists all experiments.
func Catalogue() []Experiment {
	return []Experiment{drift(), fencing(), recovery()}
}
