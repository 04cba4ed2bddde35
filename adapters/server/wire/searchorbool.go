package wire

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSON implements json.Unmarshaler. null leaves it as it is.
func (s *SearchOrBool) UnmarshalJSON(data []byte) error {
	switch jsontext.Value(data).Kind() {
	case 'n':
		return nil
	case '{':
		search := &Search{}
		if err := json.Unmarshal(data, search); err != nil {
			return err
		}
		*s = SearchOrBool{Search: search}
		return nil
	}
	var b Bool
	if err := b.UnmarshalJSON(data); err != nil {
		return &wrong{"bool_type", "Input should be a valid boolean or a search"}
	}
	*s = SearchOrBool{Bool: bool(b)}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (s SearchOrBool) MarshalJSON() ([]byte, error) {
	if s.Search != nil {
		return json.Marshal(s.Search)
	}
	return json.Marshal(s.Bool)
}

// MarshalJSON implements json.Marshaler: it is never null.
func (l List) MarshalJSON() ([]byte, error) { return json.Marshal([]string(l)) }
