// Package draft changes records of an index so that what is the same memory is one record.
//
//	Writer.Put, Update, Compact, Reembed
//	  ──► draft: what the index has of the records in question, and their vectors
//	        twin   finds the record that is the same memory
//	        merge  makes one of both
//	  ──► one compare-and-swap of all that changed; again if others got in its way
package draft
