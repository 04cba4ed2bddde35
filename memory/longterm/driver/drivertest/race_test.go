//go:build race

package longtermtest

const raceDetector = true
