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
	literal, err := r.token(r.peek())
	if err != nil || r.peek() != '}' || !r.typedScalar(kind, literal) {
		r.pos = start
		return false
	}
	r.pos++
	return true
}

// typedScalar delivers a scalar of a named type, unless the two contradict each other.
func (r *jsonReader) typedScalar(kind Kind, literal []byte) bool {
	c := literal[0]
	inner := literal
	if c == '"' {
		inner = literal[1 : len(literal)-1]
	}
	number, _ := isNumber(inner)
	switch {
	case kind == String && c == '"':
		r.scalar(String, r.unquote(literal, false))
	case kind == Number && number, kind == Bool && (c == 't' || c == 'f'):
		r.scalar(kind, inner)
	case kind == Null && (c == 't' || c == 'n'):
		r.scalar(Null, []byte("null"))
	default:
		return false
	}
	return true
}
