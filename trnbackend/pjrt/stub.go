//go:build !linux || !cgo

package pjrt

// canLoad reports whether this build has the C part that loads plugins.
const canLoad = false

// newDriver is never called, since Open asks Loadable first.
func newDriver(string, ClientOptions) (driver, error) { return nil, errBuild }
