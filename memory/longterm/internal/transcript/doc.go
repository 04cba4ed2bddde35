// Package transcript writes messages of sessions as records of long-term memory and reads
// them back.
//
// A message becomes one record of type session.RecordMessage, or several if it is long. The
// text of each record is a piece of the content, so that searches find all of it; the
// metadata hold a piece of the JSON of all other fields. The records of a message share a
// checksum, and the message is read only if all of them exist.
//
//	id        message:<hash of session id and message id>, then /<number> from the 2nd piece on
//	metadata  message: a piece of the JSON
//	          part:    <number>/<number of pieces>/<checksum>
//	          role:    the message's role if it is short, for readers of the record
//	          extracted: whether memories were extracted from the message
//	          made:    when the session was created
package transcript
