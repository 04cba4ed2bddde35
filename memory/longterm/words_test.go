package longterm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// A question finds what has its words in other forms, in the language of either.
func TestWordsInAnyForm(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t,
		longterm.Record{ID: "en", Text: "She was studying the maps of both cities before the flights."},
		longterm.Record{ID: "de", Text: "Die Rechnungen für die Wohnung werden im Schrank neben der Tür aufbewahrt."},
		longterm.Record{ID: "fr", Text: "Elle a réservé des chambres avec vue sur la mer pour les grandes vacances."},
		longterm.Record{ID: "es", Text: "Las llaves de la oficina están en los cajones que hay debajo de la mesa."},
		longterm.Record{ID: "it", Text: "Le biciclette dei bambini sono nella cantina della nonna."},
		longterm.Record{ID: "pt", Text: "As consultas com o dentista foram marcadas para os meses de verão."},
		longterm.Record{ID: "ru", Text: "Документы на квартиру лежат в синих папках на полке."},
		longterm.Record{ID: "name", Text: "Mateo y su hermana viven en la calle de los jardines."},
		longterm.Record{ID: "other", Text: "Nothing of the kind is said here."},
	)
	for question, want := range map[string]string{
		"Which map did she study?":         "en",
		"city flight":                      "en",
		"Wo ist die Rechnung?":             "de",
		"Rechnung":                         "de",
		"Quelle chambre a-t-elle réservée": "fr",
		"chambre":                          "fr",
		"¿En qué cajón está la llave?":     "es",
		"Dov'è la bicicletta del bambino?": "it",
		"Quando é a consulta?":             "pt",
		"Где папка с документом?":          "ru",
		"Where does Mateo live?":           "name",
	} {
		hits := search(t, w.Memory, longterm.Query{Text: question}).Hits
		require.NotEmpty(t, hits, question)
		require.Equal(t, want, hits[0].Record.ID, question)
	}
}

// The date of the event, or else of the record, is found as it is said.
func TestDatesAsWords(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t,
		longterm.Record{ID: "event", Text: "Anna sold the piano.", EventDate: time.Date(2023, 5, 7, 0, 0, 0, 0, time.UTC), CreatedAt: noon},
		longterm.Record{ID: "record", Text: "Anna bought a violin.", CreatedAt: time.Date(2024, 5, 9, 0, 0, 0, 0, time.UTC)},
		longterm.Record{ID: "termin", Text: "Der Zahnarzt hat den Zahn nicht gezogen.", CreatedAt: time.Date(2022, 3, 9, 0, 0, 0, 0, time.UTC)},
	)
	for question, want := range map[string]string{
		"What happened in May 2023?": "event", "May 2024": "record", "7 May": "event", "2024-05-09": "record", "Was war im März 2022?": "termin",
	} {
		hits := search(t, w.Memory, longterm.Query{Text: question}).Hits
		require.NotEmpty(t, hits, question)
		require.Equal(t, want, hits[0].Record.ID, question)
	}
	require.Equal(t, []string{"termin"}, hitIDs(search(t, w.Memory, longterm.Query{Text: "March 2026"}).Hits), "the creation of a record with an event is no word")
}
