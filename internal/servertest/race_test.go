//go:build race

package servertest

// raceDetector says whether the tests, and so the program, are built with the race detector.
const raceDetector = true
