package english

import "strings"

// The tables are not modified after initialization.
var (
	uninflected = set(`
		data metadata media multimedia info information news series species
		means feedback staff personnel police equipment software hardware
		firmware middleware malware spyware freeware sheep deer fish aircraft
		spacecraft offspring moose salmon music advice luggage baggage furniture
		traffic weather knowledge research evidence money merchandise spam
		headquarters goods clothes pants jeans shorts trousers scissors
		crossroads chassis corps debris rendezvous kudos analytics logistics
		electronics mathematics physics economics politics ethics genetics
		robotics athletics hertz redis kubernetes jenkins postgres
		dns sms mms aws sns sqs rds ecs eks aks kms ebs efs nfs hdfs gcs ses gps
		gis tls cms dbms rdbms https devops mlops ops iops qps rps tps fps
		saas paas iaas nas cors ios macos dos ddos qos pos
		chaos cosmos ethos pathos biceps triceps rhinoceros christmas
		os js ts its has was does yes always this thus`)

	// irregularPlurals are nouns with an irregular plural.
	irregularPlurals = pairs(`
		child children grandchild grandchildren stepchild stepchildren
		man men chairman chairmen salesman salesmen businessman businessmen
		craftsman craftsmen policeman policemen fireman firemen foreman foremen
		spokesman spokesmen gentleman gentlemen fisherman fishermen
		freshman freshmen congressman congressmen workman workmen
		mouse mice louse lice goose geese foot feet tooth teeth ox oxen
		quiz quizzes lens lenses gas gases alias aliases canvas canvases
		atlas atlases bias biases iris irises trellis trellises
		matrix matrices vertex vertices appendix appendices axis axes
		criterion criteria phenomenon phenomena bacterium bacteria
		curriculum curricula memorandum memoranda stratum strata
		addendum addenda erratum errata quantum quanta automaton automata
		genus genera alumnus alumni nucleus nuclei stimulus stimuli
		fungus fungi cactus cacti radius radii
		leaf leaves knife knives shelf shelves bookshelf bookshelves wolf wolves
		life lives wife wives midwife midwives housewife housewives half halves
		calf calves thief thieves loaf loaves self selves elf elves scarf scarves
		hoof hooves sheaf sheaves
		hero heroes superhero superheroes antihero antiheroes potato potatoes
		tomato tomatoes echo echoes torpedo torpedoes veto vetoes
		embargo embargoes mosquito mosquitoes volcano volcanoes buffalo buffaloes
		mango mangoes domino dominoes tornado tornadoes
		epoch epochs stomach stomachs monarch monarchs tech techs
		fintech fintechs biotech biotechs patriarch patriarchs loch lochs
		basis bases datum data`)

	// irregularSingulars is the inverse of irregularPlurals, with alternative plurals
	// that Singular accepts and Plural does not produce.
	irregularSingulars = inverse(irregularPlurals, `
		index indices codex codices vortex vortices focus foci syllabus syllabi
		octopus octopi corpus corpora schema schemata formula formulae
		antenna antennae alga algae larva larvae
		base bases crisis crises diagnosis diagnoses prognosis prognoses
		synopsis synopses emphasis emphases oasis oases genesis geneses
		neurosis neuroses psychosis psychoses ellipsis ellipses
		metamorphosis metamorphoses catharsis catharses nemesis nemeses
		symbiosis symbioses`)

	// pluralsInUSAndIS are the plurals in -us and -is.
	pluralsInUSAndIS = set(`
		menus submenus skus cpus gpus npus tpus vcpus gurus emus ous
		apis uris kpis amis enis emojis wikis taxis guis clis alibis pois dois
		safaris skis bikinis tsunamis rabbis salamis wifis hifis minis`)

	// nounsInE are the nouns in -ie, -oe, -che, -use and -sse, whose plural looks
	// like that of a noun without the e.
	nounsInE = set(`
		cookie movie zombie selfie rookie calorie genie brownie hoodie prairie
		smoothie pixie newbie veggie foodie sortie freebie goalie hippie junkie
		magpie necktie auntie birdie collie budgie indie eyrie lingerie menagerie
		roadie townie yuppie cutie sweetie doggie techie bookie bogie coterie
		groupie homie oldie patisserie rotisserie brasserie reverie softie
		sharpie valkyrie walkie pinkie specie
		shoe toe foe canoe hoe oboe woe horseshoe roe floe aloe tiptoe snowshoe
		cache ache headache toothache backache heartache niche tranche avalanche
		cliche psyche quiche creche moustache mustache geocache memcache brioche
		pastiche microfiche apache
		use reuse misuse excuse abuse fuse muse ruse recluse refuse
		posse impasse mousse finesse lacrosse crevasse`)
)

// set returns the words of a list as a set.
func set(list string) map[string]bool {
	words := strings.Fields(list)
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// pairs maps the odd words of a list to the even ones.
func pairs(list string) map[string]string {
	words := strings.Fields(list)
	m := make(map[string]string, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}

// inverse maps the plurals of m to their singulars. The pairs in list, singulars and
// plurals, take precedence where a plural has two singulars.
func inverse(m map[string]string, list string) map[string]string {
	inv := make(map[string]string, len(m))
	for s, p := range m {
		inv[p] = s
	}
	for s, p := range pairs(list) {
		inv[p] = s
	}
	return inv
}
