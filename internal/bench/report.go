package bench

// Report is what a run returns. It is printed as JSON: the names of the fields stay.
type Report struct {
	Cell        string  `json:"cell"`
	Replicas    int     `json:"replicas"`
	Processors  int     `json:"processors"` // of this machine
	ForSeconds  float64 `json:"for_seconds"`
	ValueBytes  int     `json:"value_bytes"`
	Interrupted bool    `json:"interrupted"` // before the last row was measured in full
	Rows        []Row   `json:"rows"`
	Held        []Held  `json:"held,omitempty"` // of the workload sessions
	Left        error   `json:"-"`              // why the rows and the directory of the run stay in the cell; nil: they are removed
}

// Row is one workload with one number of clients. Figures that could not be measured are nil.
// Processor time is in percent of one processor.
type Row struct {
	Workload   string `json:"workload"`
	Clients    int    `json:"clients"`
	Sessions   int    `json:"sessions"`
	Principals int    `json:"principals"`
	Conns      int    `json:"connections"` // to each replica

	Seconds    float64 `json:"seconds"`    // that were measured
	Operations uint64  `json:"operations"` // that were answered meanwhile
	PerSecond  float64 `json:"per_second"`
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	P999       float64 `json:"p999_ms"`
	Gap        float64 `json:"longest_gap_ms"` // in which no operation of any client was answered
	Errors     uint64  `json:"errors"`
	Error      string  `json:"error,omitempty"` // the first one

	ServerCPU *float64 `json:"server_cpu_percent"` // of all processes that have replicas of the cell
	ClientCPU *float64 `json:"client_cpu_percent"` // of this process
	OtherCPU  *float64 `json:"other_cpu_percent"`  // of all else on this machine
	CPUPerOp  *float64 `json:"cpu_us_per_operation"`

	Slots *float64 `json:"slots_per_second"`  // of the log, that the master applied
	Syncs *float64 `json:"syncs_per_second"`  // of the master's log
	Batch *float64 `json:"commands_per_slot"` // of workloads whose operations are a known number of commands
}
