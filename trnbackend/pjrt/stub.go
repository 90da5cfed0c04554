//go:build !linux || !cgo

package pjrt

// canLoad says that there is no C part to load plugins with.
const canLoad = false

// newDriver is never called, since Open asks Loadable first.
func newDriver(string, ClientOptions) (driver, error) { return nil, errBuild }
