// Package draft changes records of an index so that each memory has one record.
//
//	Writer.Put, Update, Compact, Reembed
//	  ──► draft: the entries of the index that a change involves, and their vectors
//	        twin   finds the record that is the same memory
//	        merge  makes one of both
//	  ──► one compare-and-swap of all changed records, retried after a conflict
package draft
