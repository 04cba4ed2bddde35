// Package shell reads command lines: which programs they run, with which words, where,
// and which files they read and write by redirection.
//
//	cd /srv && sudo git log -n 3 | head > last.txt
//
// consists of cd /srv, git log -n 3 in /srv, and head, which writes last.txt. [Parse] looks
// through constructs that run other commands: sudo, bash -c, ssh, docker exec, substitutions
// and compound commands. It reads a bounded part of a line and does not fail: a line that
// is not a shell script is split at blanks.
package shell
