package document

// ReadTable returns a reader of one kind of tables.
func ReadTable(kind string) func(text []byte, vis Visitor, lim Limits) Result {
	return func(text []byte, vis Visitor, lim Limits) Result {
		f := map[string]finding{
			"CSV":      csvTable(text, ','),
			"Markdown": {FormatMarkdown, text, gridRows},
			"Columns":  {FormatTable, text, columnRows},
			"HTML":     {FormatTable, text, htmlRows},
			"Aligned":  {FormatTable, text, alignedRows},
		}[kind]
		return f.read(vis, lim)
	}
}
