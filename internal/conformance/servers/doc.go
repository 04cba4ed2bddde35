// Package servers starts database servers for tests: processes on free ports of the loopback
// interface, with data in a temporary directory, which a test may kill, stop, pause and start
// again. They end with the test.
//
//	redis := StartRedis(t)
//	store, err := redisstore.Open(t.Context(), redis.URL(), nil)
//	…
//	redis.Kill()  // as kill -9 does
//	redis.Start() // with the data it had
//
// Tests that start a server are skipped unless WORKINGMEMORY_TEST_REDIS or
// WORKINGMEMORY_TEST_POSTGRES is set; with it, a missing program fails the test. On systems
// other than Unix they are always skipped.
package servers
