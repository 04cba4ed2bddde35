package document

import "bytes"

// typedKeys maps the key of an object that names the type of a single value, as
// {"S": "a"} of DynamoDB and {"stringValue": "a"} of Firestore do, to that type.
var typedKeys = map[string]Kind{
	"S": String, "N": Number, "BOOL": Bool, "NULL": Null,
	"stringValue": String, "timestampValue": String, "referenceValue": String,
	"integerValue": Number, "intValue": Number, "doubleValue": Number,
	"booleanValue": Bool, "boolValue": Bool, "nullValue": Null,
}

// typed delivers the value of an object that does no more than name its type. For any
// other object it reports false and delivers nothing.
func (r *jsonReader) typed() bool {
	start := r.pos
	kind, ok := r.typedKey()
	if ok {
		literal, err := r.token(r.peek())
		ok = err == nil && r.peek() == '}' && r.typedScalar(kind, literal)
	}
	if !ok {
		r.pos = start
		return false
	}
	r.pos++
	return true
}

// typedKey reads the brace and the first key of an object if the key names a type.
func (r *jsonReader) typedKey() (Kind, bool) {
	const longest = len("timestampValue")
	i := spaceEnd(r.text, r.pos+1)
	if i >= len(r.text) || r.text[i] != '"' {
		return 0, false
	}
	i++
	n := bytes.IndexByte(r.text[i:min(len(r.text), i+longest+1)], '"')
	if n <= 0 {
		return 0, false
	}
	kind, ok := typedKeys[string(r.text[i:i+n])]
	if i = spaceEnd(r.text, i+n+1); !ok || i >= len(r.text) || r.text[i] != ':' {
		return 0, false
	}
	r.pos = i + 1
	return kind, true
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
		if text, ok := r.textOf(literal, false); ok {
			r.scalar(String, text)
		}
	case kind == Number && number, kind == Bool && (c == 't' || c == 'f'):
		r.scalar(kind, inner)
	case kind == Null && (c == 't' || c == 'n'):
		r.scalar(Null, []byte("null"))
	default:
		return false
	}
	return true
}
