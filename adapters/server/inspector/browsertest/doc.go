// Package browsertest tests the pages of package inspector, and the documentation of the API of
// package rest, in a browser, by what a person does. It is a module of its own, so that the core
// needs no driver of browsers.
//
// The tests run where WORKINGMEMORY_TEST_CHROMIUM names a Chromium. If WORKINGMEMORY_TEST_SCREENSHOTS
// names a directory, they write pictures of the pages to it.
package browsertest
