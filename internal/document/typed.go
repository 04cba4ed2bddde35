package document

// typedKeys maps the key of an object that names the type of a single value, as
// {"S": "a"} of DynamoDB and {"stringValue": "a"} of Firestore do, to that type.
var typedKeys = map[string]Kind{
	`"S"`: String, `"N"`: Number, `"BOOL"`: Bool, `"NULL"`: Null,
	`"stringValue"`: String, `"timestampValue"`: String, `"referenceValue"`: String,
	`"integerValue"`: Number, `"intValue"`: Number, `"doubleValue"`: Number,
	`"booleanValue"`: Bool, `"boolValue"`: Bool, `"nullValue"`: Null,
}

// typed delivers the value of an object that does no more than name its type, given its
// first key. For any other object it reports false and delivers nothing.
func (r *jsonReader) typed(key []byte) bool {
	kind, ok := typedKeys[string(key)]
	if !ok || r.lim.Plain || r.depth == r.outer {
		return false
	}
	start := r.pos
	c := r.peek()
	literal, plain, err := r.token(c)
	inner := literal
	if err == nil && c == '"' {
		inner = r.unquote(literal, plain)
	}
	isNumber, _ := isNumber(inner)
	switch {
	case err != nil || r.peek() != '}':
		ok = false
	case kind == String:
		ok = c == '"'
	case kind == Number:
		ok = isNumber
	case kind == Bool:
		ok = c == 't' || c == 'f'
	default:
		ok, inner = c == 't' || c == 'n', []byte("null")
	}
	if !ok {
		r.pos = start
		return false
	}
	r.pos++
	r.scalar(kind, inner)
	return true
}
