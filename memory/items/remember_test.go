package items_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

// remember returns the ids of what a store remembers.
func remember(t *testing.T, s *items.Store, prompt string, f items.Criteria) []string {
	t.Helper()
	items, err := s.Remember(t.Context(), prompt, f, 0)
	require.NoError(t, err)
	return itemIDs(items)
}

func TestRememberRanks(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	for _, in := range []items.ItemInput{
		{ID: "old", StepIndex: new(1), Importance: new(0.5)},
		{ID: "important", StepIndex: new(0), Importance: new(0.6)},
		{ID: "later", StepIndex: new(2), Timestamp: start.Add(time.Second)},
		{ID: "recent", StepIndex: new(2)},
		{ID: "recent, newest", StepIndex: new(2)},
		{ID: "deleted", Importance: new(1.0)},
	} {
		memorize(t, s, in)
	}
	_, err := s.Forget(t.Context(), "position:5", items.ForgetSoft)
	require.NoError(t, err)
	ranked := []string{"important", "later", "recent, newest", "recent", "old"}
	require.Equal(t, ranked, remember(t, s, "", items.Criteria{}))
	require.Equal(t, ranked, remember(t, s, "text", items.Criteria{}))
	for limit, want := range map[int]int{-1: 5, 0: 5, 1: 1, 4: 4, 5: 5, 6: 5, math.MaxInt: 5} {
		items, err := s.Remember(t.Context(), "", items.Criteria{}, limit)
		require.NoError(t, err)
		require.Equal(t, ranked[:want], itemIDs(items), "limit %d", limit)
		if limit > 0 {
			require.Equal(t, items, s.Notable(limit))
		}
	}
	require.Empty(t, s.Notable(0))
	require.Empty(t, s.Notable(-1))
}

func TestRememberFilters(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorize(t, s, items.ItemInput{ID: "1", AgentID: "a", Tags: []string{"x", "y"}, Type: items.TypeFact, StepIndex: new(1), Importance: new(0.1)})
	memorize(t, s, items.ItemInput{ID: "2", AgentID: "b", Tags: []string{"y"}, Type: items.TypeGoal, StepIndex: new(2), Importance: new(0.2)})
	memorize(t, s, items.ItemInput{ID: "3", AgentID: "a", StepIndex: new(3), Importance: new(0.3)})
	for _, test := range []struct {
		what   string
		filter items.Criteria
		want   []string
	}{
		{"everything", items.Criteria{}, []string{"3", "2", "1"}},
		{"agent", items.Criteria{AgentID: "a"}, []string{"3", "1"}},
		{"any tag", items.Criteria{AnyTag: []string{"x", "y", "z"}}, []string{"2", "1"}},
		{"all tags", items.Criteria{AllTags: []string{"x", "y"}}, []string{"1"}},
		{"all tags, one unknown", items.Criteria{AllTags: []string{"x", "z"}}, []string{}},
		{"any and all tags", items.Criteria{AnyTag: []string{"x"}, AllTags: []string{"y"}}, []string{"1"}},
		{"type", items.Criteria{Type: items.TypeGoal}, []string{"2"}},
		{"type by default", items.Criteria{Type: items.TypeCustom}, []string{"3"}},
		{"from a step on", items.Criteria{MinStep: new(2)}, []string{"3", "2"}},
		{"up to a step", items.Criteria{MaxStep: new(2)}, []string{"2", "1"}},
		{"a step", items.Criteria{MinStep: new(2), MaxStep: new(2)}, []string{"2"}},
		{"importance", items.Criteria{MinImportance: 0.2}, []string{"3", "2"}},
		{"all at once", items.Criteria{AgentID: "b", Type: items.TypeGoal, AnyTag: []string{"y"}, MaxStep: new(2)}, []string{"2"}},
		{"nothing", items.Criteria{AgentID: "c"}, []string{}},
	} {
		require.Equal(t, test.want, remember(t, s, "", test.filter), test.what)
		require.Equal(t, test.want, remember(t, s, "text", test.filter), test.what)
	}
}

func TestRelevance(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	for id, text := range map[string]string{
		"parcel": "The user wants to know where the parcel W-123/4 is",
		"shirt":  "The user has ordered two red T-Shirts (order #A1)",
		"zahlen": "The user schrieb: Überweisung geht nicht",
		"заказ":  "The user: Где мой ЗАКАЗ?",
		"退货":     "The user: 我想退货订单550e8400-e29b-41d4-a716-446655440000",
		"สินค้า": "The user: สินค้าชำรุด",
		"주문":     "The user: 주문을 취소",
		"ids":    "The user called 550e8400-0000-41d4-a716-000000000000",
	} {
		memorize(t, s, items.ItemInput{ID: id, Text: text, Tags: []string{"tag-of-" + id}})
	}
	for _, test := range []struct {
		what, prompt string
		want         []string
	}{
		{"a word in another case", "PARCEL?", []string{"parcel"}},
		{"a plural", "Any parcels?", []string{"parcel"}},
		{"hyphens", "tshirt", []string{"shirt"}},
		{"words of questions find nothing", "What is it about, please?", []string{}},
		{"nothing is left", "?!", []string{}},
		{"a word that all have does not count beside others", "tell the user about the shirt", []string{"shirt"}},
		{"also where the others are nowhere", "user zebra", []string{}},
		{"an umlaut in another case", "ÜBERWEISUNG", []string{"zahlen"}},
		{"Cyrillic in another case", "заказ", []string{"заказ"}},
		{"Chinese, in the middle of a sentence", "请问退货流程", []string{"退货"}},
		{"a single Chinese letter", "退", []string{"退货"}},
		{"Thai", "ชำรุด", []string{"สินค้า"}},
		{"Korean without the ending", "주문", []string{"주문"}},
		{"an identifier with marks", "is W-123/4 on its way?", []string{"parcel"}},
		{"a short identifier", "A1", []string{}},
		{"a short identifier as it stands", "#A1", []string{"shirt"}},
		{"an identifier in another case", "w-123/4", []string{"parcel"}},
		{"a UUID within other letters", "550e8400-e29b-41d4-a716-446655440000", []string{"退货"}},
		{"a UUID in another case", "550E8400-E29B-41D4-A716-446655440000", []string{"退货"}},
		{"another UUID with parts in common", "550e8400-ffff-41d4-a716-ffffffffffff", []string{}},
		{"a tag", "tag-of-ids", []string{"ids"}},
		{"nothing in common", "invoice", []string{}},
	} {
		require.ElementsMatch(t, test.want, remember(t, s, test.prompt, items.Criteria{}), test.what)
	}
	require.Len(t, remember(t, s, "the user", items.Criteria{}), s.Len(), "it is all that is asked for")
	require.Len(t, remember(t, s, " \t\n", items.Criteria{}), s.Len())
}

// TestRelevanceInManyLanguages asks for one of five items, or for none of them, as
// a user would.
func TestRelevanceInManyLanguages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language string
		items    []string
		prompts  map[string][]string
	}{
		{"English", []string{
			"The order W123 was shipped on Monday", "The invoice is overdue", "Refund to the credit card requested",
			"The customer lives in Berlin", "The parcel is not there yet",
		}, map[string][]string{
			"Where is my order?": {"i1"}, "is the invoice paid": {"i2"}, "refunds": {"i3"}, "address of the customer": {"i4"},
			"how do I get it": {}, "w123": {"i1"}, "W1234": {},
		}},
		{"German", []string{
			"Die Bestellung W123 wurde am Montag verschickt", "Die Rechnung ist überfällig",
			"Der Kunde möchte eine Rückerstattung auf die Kreditkarte", "Der Kunde wohnt in der Müllerstraße",
			"Das Paket ist noch nicht da",
		}, map[string][]string{
			"Wo ist meine Bestellung?": {"i1"}, "Wo sind die Bestellungen?": {"i1"}, "Ist die Rechnung bezahlt?": {"i2"},
			"Ist das Paket angekommen?": {"i5"}, "MÜLLERSTRASSE": {"i4"}, "Was ist mit der Lieferung?": {},
			"Wer ist das, und wie geht es dir?": {}, "w123": {"i1"},
		}},
		{"Russian", []string{
			"Заказ W123 отправлен в понедельник", "Счёт не оплачен, что делать", "Клиент просит возврат на карту",
			"Клиент живёт в Москве, это далеко", "Посылка ещё не пришла",
		}, map[string][]string{
			"Где мой заказ?": {"i1"}, "Статус заказа": {"i1"}, "Что с заказами": {"i1"}, "что со счетом": {"i2"},
			"возврата": {"i3"}, "Москва": {"i4"}, "где посылки": {"i5"}, "Что это такое?": {}, "как это сделать": {}, "w123": {"i1"},
		}},
		{"Chinese", []string{
			"用户的订单W123已于周一发货", "发票还没有付款", "我想要退款到信用卡", "客户住在北京，这是我的地址", "包裹在哪里",
		}, map[string][]string{
			"我的订单在哪里？": {"i1"}, "发票付款了吗": {"i2"}, "请问退款流程是什么": {"i3"}, "我的手机坏了怎么办": {}, "W123": {"i1"},
		}},
		{"Japanese", []string{
			"注文W123は月曜日に発送されました", "請求書はまだ支払われていません", "クレジットカードへの返金を希望しています",
			"お客様は東京に住んでいます", "荷物はどこですか",
		}, map[string][]string{
			"注文はどこですか？": {"i1"}, "請求書について教えてください": {"i2"}, "返金をお願いします": {"i3"}, "カードの番号": {"i3"},
			"天気はどうですか": {}, "Ｗ１２３": {"i1"},
		}},
		{"Korean", []string{
			"주문 W123이 월요일에 발송되었습니다", "송장이 아직 지불되지 않았습니다", "고객이 신용카드로 환불을 원합니다",
			"고객은 서울에 살고 있습니다", "소포가 어디에 있습니까",
		}, map[string][]string{
			"제 주문은 어디에 있습니까?": {"i1"}, "환불": {"i3"}, "카드": {"i3"}, "날씨가 어떻습니까": {}, "W123": {"i1"},
		}},
		{"Thai", []string{
			"คำสั่งซื้อ W123 ถูกส่งเมื่อวันจันทร์", "ใบแจ้งหนี้ยังไม่ได้ชำระ", "ลูกค้าต้องการขอคืนเงินเข้าบัตรเครดิต",
			"ลูกค้าอาศัยอยู่ที่กรุงเทพ", "พัสดุยังไม่ถึง",
		}, map[string][]string{
			"คำสั่งซื้อของฉันอยู่ที่ไหน": {"i1"}, "ใบแจ้งหนี้": {"i2"}, "คืนเงิน": {"i3"}, "กรุงเทพ": {"i4"},
			"อากาศวันนี้เป็นอย่างไร": {}, "w123": {"i1"},
		}},
		{"Hindi", []string{
			"ऑर्डर W123 सोमवार को भेजा गया", "चालान का भुगतान नहीं हुआ है", "ग्राहक क्रेडिट कार्ड पर धनवापसी चाहता है",
			"ग्राहक दिल्ली में रहता है", "पैकेज अभी तक नहीं आया",
		}, map[string][]string{
			"मेरा ऑर्डर कहाँ है?": {"i1"}, "चालान": {"i2"}, "धनवापसी कब होगी": {"i3"}, "दिल्ली": {"i4"}, "मौसम कैसा है": {}, "w123": {"i1"},
		}},
	} {
		t.Run(test.language, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, items.Options{})
			for _, text := range test.items {
				memorize(t, s, items.ItemInput{Text: text})
			}
			for prompt, want := range test.prompts {
				require.Equal(t, want, remember(t, s, prompt, items.Criteria{}), prompt)
			}
		})
	}
}

func TestIdentifiersAreNeverTooCommon(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	for range 5 {
		memorize(t, s, items.ItemInput{Text: "order W123"})
	}
	memorize(t, s, items.ItemInput{ID: "other", Text: "another order"})
	require.Equal(t, []string{"i5", "i4", "i3", "i2", "i1"}, remember(t, s, "my order W123", items.Criteria{}))
}

func TestAWordIsCommonInMoreThanHalfOfFourItems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		having, others, found int
	}{
		{3, 0, 3}, {2, 2, 2}, {3, 1, 0}, {4, 0, 0}, {4, 4, 4}, {5, 4, 0},
	} {
		s := newStore(t, items.Options{})
		for range test.having {
			memorize(t, s, items.ItemInput{Text: "my order"})
		}
		for range test.others {
			memorize(t, s, items.ItemInput{Text: "another text"})
		}
		require.Len(t, remember(t, s, "order of zebras", items.Criteria{}), test.found, "%+v", test)
	}
}

func TestAWordOfHalfTheItemsIsNotCommon(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	for _, text := range []string{"order, order, order", "order", "parcel", "invoice"} {
		memorize(t, s, items.ItemInput{Text: text, Tags: []string{"order"}[:len(text)/19]})
	}
	require.Equal(t, []string{"i2", "i1"}, remember(t, s, "order of zebras", items.Criteria{}))
}

// scorerFunc is a Scorer.
type scorerFunc func(ctx context.Context, prompt string, items []items.Item) ([]float64, error)

func (f scorerFunc) Score(ctx context.Context, prompt string, items []items.Item) ([]float64, error) {
	return f(ctx, prompt, items)
}

func TestScorer(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	var s *items.Store
	var scores []float64
	var failure error
	calls := 0
	s = newStore(t, items.Options{Scorer: scorerFunc(func(ctx context.Context, prompt string, items []items.Item) ([]float64, error) {
		calls++
		require.Equal(t, "value", ctx.Value(key{}))
		require.Equal(t, " prompt ", prompt)
		require.Equal(t, []string{"i1", "i2", "i3", "i4"}, itemIDs(items))
		for i := range items {
			require.Equal(t, i, items[i].Position)
			items[i].Tags[0] = "spoilt"
		}
		require.NoError(t, s.SetImportance(ctx, "i1", 0.1), "the store is not locked")
		return scores, failure
	})})
	require.Empty(t, remember(t, s, "prompt", items.Criteria{}), "there is nothing to score")
	for range 4 {
		memorize(t, s, items.ItemInput{Tags: []string{"tag"}})
	}

	scores = []float64{0.1, 0, math.NaN(), 99}
	list, err := s.Remember(ctx, " prompt ", items.Criteria{AnyTag: []string{"tag"}}, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"i4", "i1"}, itemIDs(list))
	require.Equal(t, "tag", list[0].Tags[0])

	scores = scores[:3]
	_, err = s.Remember(ctx, " prompt ", items.Criteria{}, 0)
	require.EqualError(t, err, "items: scorer failed: 3 scores for 4 items")

	failure = fmt.Errorf("wrapped: %w", errTest)
	list, err = s.Remember(ctx, " prompt ", items.Criteria{}, 0)
	require.ErrorIs(t, err, errTest)
	require.Empty(t, list)
	require.Equal(t, 3, calls)
	_, err = s.Remember(ctx, " ", items.Criteria{}, 0)
	require.NoError(t, err, "an empty prompt is not scored")
}

var errTest = errors.New("failure of a test")
