// Package transcript writes messages of sessions as records of long-term memory, and reads
// them again.
//
// A message is kept as records of type session.RecordMessage: one, or several where it
// is long. Each has a piece of the content as its text, so that all of it is found by
// a search, and in its metadata a piece of the JSON of everything else. The records
// of a message have the same sum; only if all are there the message is.
//
//	id        message:<hash of session id and message id>, of the 2nd piece on with /<number>
//	metadata  message: a piece of the JSON
//	          part:    <number>/<how many there are>/<sum>
//	          role:    the message's, for readers of the record, if it is short
//	          extracted: whether it was
//	          made:    when its session was
package transcript
