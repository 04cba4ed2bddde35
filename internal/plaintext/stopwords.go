package plaintext

import "sync"

// stopWords are words of questions that do not name their subject, in languages with
// spaces between words. Shorter words are ignored anyway.
var stopWords = sync.OnceValue(func() map[string]bool {
	return wordSet(
		// English
		`about all also and any are been but can could did does for from give had has have her here him his how into
	its just may not our out please shall she should show some tell than that the their them then there these they
	this those was were what when where which who why will with would you your`,
		// German
		`aber alle als auch auf aus bei bin bitte damit dann das dass dein deine dem den der des dich die dies diese dieser
	dir doch durch ein eine einem einen einer fuer für gib habe haben hast hat hatte hier ich ihr ihre ihm ihn ihnen
	ist jetzt kann kannst kein keine können mein meine meinem meinen meiner mich mir mit nach nicht noch nur oder ohne
	sein seine sich sie sind soll über und uns unser von vom vor wann war waren warum welche welcher wenn wer werden
	wie wieder wird wir woher wurde wurden zeig zum zur`,
		// Russian
		`без были был была было вам вас ваш где для его если есть ещё как какая какие какой когда который кто куда
	мне мои моя мой моё надо нам нас наш нет них она они оно откуда очень под пока почему при про так там тебе того
	тоже только тот уже чем через что чтобы эта эти это этот`,
		// French, Spanish
		`avec aux ces cette comment dans est elle les leur mais mes mon nos notre nous ont par pas pour pourquoi que quel
	quelle quand qui sans ses son sont sur une vos votre vous
	como con cual cuál cuando cuándo cómo del donde dónde ella ellos era esta está este esto hay las los mis muy
	para pero por porque qué quien quién sin sobre sus tiene una uno`,
		// Hindi
		`ऐसा कहाँ कहां किस कैसा कैसी कैसे कौन क्या क्यों गया तथा नहीं बहुत में मुझे मेरा मेरी मेरे यहाँ रहा रही रहे लिए वाला साथ
	हुआ हुई हूँ हैं होगा होगी होता होती`,
	)
})

// wordSet returns the words of texts in the form of Words.
func wordSet(texts ...string) map[string]bool {
	set := map[string]bool{}
	var t termReader
	t.word = wordReader{joined: t.buf[:0], marks: true, yield: func(word []byte) bool {
		set[string(word)] = true
		return true
	}}
	for _, text := range texts {
		t.readWords(text)
	}
	return set
}
