// Package device opens executors by name and runs programs on them.
//
// A Session is an open device with a cache of compiled programs; it is shared by many goroutines. A Call is one
// computation on it: it counts what happens for the report and frees its buffers at the end.
package device
