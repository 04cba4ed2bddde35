// Package naming interprets names: the names of fields, of tools and of commands.
//
// A [Key] describes a field's name: order_id identifies an order, sectionTitle names a
// section, updated_at is noise. A [Tool] describes a tool's name: cms_getPageSections
// reads sections. Types are in the singular and in lower case, their words joined by
// "_", in whatever style the name is written.
//
// The descriptions are pure functions of the names. [Keys] and [Tools] remember them.
package naming
