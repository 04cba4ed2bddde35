// Package servers starts database servers for tests: processes of their own on free
// ports of the loopback interface, with their data in a temporary directory, which a
// test may kill, stop, hang and start again. They end with the test.
//
//	redis := StartRedis(t)
//	store, err := redisstore.Open(t.Context(), redis.URL(), nil)
//	…
//	redis.Kill()  // as kill -9 does
//	redis.Start() // with the data it had
//
// A test of a server is skipped where the environment does not ask for it, by
// WORKINGMEMORY_TEST_REDIS or WORKINGMEMORY_TEST_POSTGRES. Where it does, a program
// that is missing fails the test. Unix only: elsewhere the tests are skipped.
package servers
