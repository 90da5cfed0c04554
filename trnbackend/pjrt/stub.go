//go:build !linux || !cgo

package pjrt

import "errors"

// newDriver fails: plugins are called from C.
func newDriver(string, ClientOptions) (driver, error) {
	return nil, errors.New("this build cannot load plugins: that takes Linux and a build with cgo")
}
