package naming_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

func TestKey(t *testing.T) {
	t.Parallel()
	keys := naming.NewCache(new(naming.Keys))
	for name, want := range map[string]naming.Key{
		"id":                {Class: naming.ClassID},
		"order_id":          {Class: naming.ClassTypedID, Noun: "order"},
		"orderId":           {Class: naming.ClassTypedID, Noun: "order"},
		"accountid":         {Class: naming.ClassTypedID, Noun: "account"},
		"flightNumber":      {Class: naming.ClassTypedID, Noun: "flight"},
		"account_sid":       {Class: naming.ClassTypedID, Noun: "account"},
		"auftragsnummer":    {Class: naming.ClassTypedID, Noun: "auftrag"},
		"Kunden-Nr.":        {Class: naming.ClassTypedID, Noun: "kunde"},
		"lieferantennr":     {Class: naming.ClassTypedID, Noun: "lieferant"},
		"numeroFactura":     {Class: naming.ClassTypedID, Noun: "factura"},
		"avatarId":          {Class: naming.ClassNoise},
		"item_ids":          {Class: naming.ClassTypedID, Noun: "item", Plural: true},
		"nextPageToken":     {Class: naming.ClassTypedID, Noun: "page_token"},
		"sku":               {Class: naming.ClassWeakID},
		"status_code":       {Class: naming.ClassPlain, Noun: "status_code"},
		"title":             {Class: naming.ClassName},
		"sectionTitle":      {Class: naming.ClassTypedName, Noun: "section"},
		"first_name":        {Class: naming.ClassPlain, Given: true},
		"__typename":        {Class: naming.ClassType},
		"api_key":           {Class: naming.ClassSecret},
		"accessToken":       {Class: naming.ClassSecret},
		"secret_id":         {Class: naming.ClassTypedID, Noun: "secret"},
		"4202497723":        {Class: naming.ClassMapKey},
		"request_id":        {Class: naming.ClassTrace, Noun: "request"},
		"avatar_url":        {Class: naming.ClassLink, Noun: "avatar"},
		"updated_at":        {Class: naming.ClassNoise},
		"securityGroups":    {Class: naming.ClassPlain, Noun: "security_group", Plural: true},
		"archived_orders":   {Class: naming.ClassPlain, Noun: "order", Plural: true},
		"restaurants_by_id": {Class: naming.ClassPlain, Noun: "restaurant", Plural: true},
		"results":           {Class: naming.ClassPlain, Plural: true},
		"":                  {Class: naming.ClassPlain},

		strings.Repeat("a", 1000) + "_id": {Class: naming.ClassNoise},
	} {
		for range 2 { // classified, then remembered
			k := keys.Key([]byte(name))
			got := naming.Key{Class: k.Class, Noun: k.Noun, Plural: k.Plural, Given: k.Given, Family: k.Family}
			assert.Equal(t, want, got, "%q", name)
		}
	}
}

func TestTool(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]naming.Tool{
		"cms_getPageSections":        {Effect: naming.EffectRead, Noun: "section", Plural: true, Source: "cms"},
		"get_user_info":              {Effect: naming.EffectRead, Noun: "user"},
		"github-create-issue":        {Effect: naming.EffectCreated, Noun: "issue", Source: "github"},
		"listPullRequests":           {Effect: naming.EffectRead, Noun: "pull_request", Plural: true},
		"mcp__github__get_issue":     {Effect: naming.EffectRead, Noun: "issue", Source: "github"},
		"stripe.customers.list":      {Effect: naming.EffectRead, Noun: "customer", Plural: true, Source: "stripe"},
		"get_or_create_order":        {Effect: naming.EffectCreated, Noun: "order"},
		"find_and_delete_user":       {Effect: naming.EffectDeleted, Noun: "user"},
		"update_order_by_id":         {Effect: naming.EffectUpdated, Noun: "order"},
		"calculate_total":            {Effect: naming.EffectRead, Counts: true},
		"weather":                    {Effect: naming.EffectRead},
		"":                           {Effect: naming.EffectRead},
		strings.Repeat("get_", 1000): {Effect: naming.EffectRead},
	} {
		tools := new(naming.Tools)
		for range 2 { // parsed, then remembered
			got := tools.Tool(name)
			assert.Equal(t, want, naming.Tool{Effect: got.Effect, Noun: got.Noun, Plural: got.Plural, Source: got.Source, Counts: got.Counts}, "%q", name)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"SELECT a.id FROM quays a JOIN port.boats b ON b.quay = a.id":                   {"quays", "boats"},
		`WITH late AS (SELECT id FROM "Trips") SELECT * FROM late, x`:                   {"Trips"},
		"SELECT EXTRACT(year FROM built) FROM boats WHERE id IN (SELECT id FROM crews)": {"boats", "crews"},
		"INSERT INTO boats (name) VALUES ('sold from stock')":                           {"boats"},
		"UPDATE boats SET name = 'Ada'":                                                 {"boats"},
		"SELECT table_name FROM information_schema.tables":                              {},
		"update from Ann":     nil,
		"letters from Lisbon": nil,
	} {
		assert.Equal(t, want, naming.Tables(query), query)
	}
}

func TestCommandNoun(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"kubectl get pods -n prod":                    "pod",
		"gh pr list":                                  "pull_request",
		"aws ec2 describe-instances":                  "instance",
		`psql -c "SELECT id FROM app.users"`:          "user",
		"echo hello":                                  "",
		"flyctl volumes list":                         "volume",
		"nomad get jobs --all":                        "job",
		"aws --region eu-west-1 ec2 describe-subnets": "subnet",
		"cat notes.txt":                               "",
		"| ; &&":                                      "",
		"":                                            "",
	} {
		assert.Equal(t, want, naming.CommandNoun(naming.Commands(command)), "%q", command)
	}
}

func TestTableNoun(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT * FROM users WHERE id = 1":        "user",
		"insert into shop.orders (id) values (1)": "order",
		"DELETE FROM ONLY boats":                  "boat",
		"DROP TABLE IF EXISTS logs":               "log",
		"select 1 from":                           "",
		"":                                        "",
	} {
		assert.Equal(t, want, naming.TableNoun(query), "%q", query)
	}
}

// TestRanks checks that the named ranks match the word lists.
func TestRanks(t *testing.T) {
	t.Parallel()
	var keys naming.Keys
	cache := naming.NewCache(&keys)
	for name, want := range map[string]uint8{"barcode": naming.RankPrinted, "slug": naming.RankSlug, "url": naming.RankURL, "self": naming.RankSelf} {
		assert.Equal(t, want, cache.Key([]byte(name)).Rank, name)
	}
}

// TestLiterals checks that only values compared with = are returned.
func TestLiterals(t *testing.T) {
	t.Parallel()
	query := `DELETE FROM boats WHERE id = 'b-1' AND id != 'b-2' AND id <> 'b-3' AND id >= 'b-4'`
	assert.Equal(t, map[string]string{"id": "b-1"}, maps.Collect(naming.Literals(query)))
}

func TestAddressed(t *testing.T) {
	t.Parallel()
	noun, id := naming.Addressed("https://api.example.com/files/docs%2Fplan.md")
	assert.Equal(t, [2]string{"file", "docs%2Fplan.md"}, [2]string{noun, id})
}

func TestPlausibleType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"AWS::EC2::Instance": "instance", "youtube#video": "video", "PullRequests": "pull_request", "UserConnection": "user",
		"success": "", "active": "", "object": "", "42": "", "": "", "a sentence of many words": "", `"quoted"`: "",
	} {
		assert.Equal(t, want, naming.PlausibleType([]byte(text)), "%q", text)
	}
}

func TestNouns(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "request", naming.LastWord("pull_request"))
	assert.Equal(t, "order", naming.LastWord("order"))
	for _, same := range [][2]string{{"order", "order"}, {"order", "purchase_order"}, {"pull_request", "request"}} {
		assert.True(t, english.SameNoun(same[0], same[1]), "%q", same)
	}
	for _, other := range [][2]string{{"order", "border"}, {"order", "order_line"}} {
		assert.False(t, english.SameNoun(other[0], other[1]), "%q", other)
	}
	assert.True(t, english.IsHead("cycle", "review_cycle"))
	assert.False(t, english.IsHead("review_cycle", "cycle"))
}

func TestTablesAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	keys, tools := new(naming.Keys), new(naming.Tools)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			cache := naming.NewCache(keys)
			for i := range 50 {
				assert.Equal(t, naming.ClassTypedID, cache.Key(fmt.Appendf(nil, "%corder_id", 'a'+i%26)).Class)
				assert.Equal(t, naming.EffectRead, tools.Tool(fmt.Sprintf("get_order%d", i)).Effect)
			}
		})
	}
	wg.Wait()
}

// FuzzNames checks that no name panics and that types are single words.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"order_id", "mcp__a__get", "mcp____", "_", "by_id", "or", "kubectl get ,", "id=1", "x.", "SELECT 1 FROM a."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, noun := range []string{
			naming.NewCache(new(naming.Keys)).Key([]byte(name)).Noun, new(naming.Tools).Tool(name).Noun,
			naming.PlausibleType([]byte(name)), naming.TableNoun(name),
		} {
			assert.NotContains(t, noun, " ")
			assert.NotContains(t, noun, "\n")
		}
		naming.CommandNoun(naming.Commands(name))
	})
}
