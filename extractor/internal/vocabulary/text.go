package vocabulary

// VerbsOfState are auxiliary verbs, which state something about the preceding words.
var VerbsOfState = Set{List: `is was are were has have had will would can cannot could does did been be`}
