//go:build race

package pjrt

const raceDetector = true
