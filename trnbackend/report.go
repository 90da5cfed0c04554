package trnbackend

// Report says what a call did on a device.
type Report struct {
	Device     string
	Compiles   int                // programs that were compiled
	CacheHits  int                // programs that were found in memory or on disk
	Dispatches int                // runs of programs
	BytesIn    int64              // to the device
	BytesOut   int64              // from the device
	Seconds    float64            // of the whole call, compiling included
	Engines    map[string]float64 // seconds by part of the device, where it reports them
	HostSteps  []string           // what was computed on the host, and why
	ErrorBound float64            // of the result, where the program has one; else 0
}
