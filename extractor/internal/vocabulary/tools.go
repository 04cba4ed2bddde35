package vocabulary

// CommonVerbs are verbs in tool names even where they are nouns elsewhere.
var CommonVerbs = Set{List: `list search query view update show copy test check`}

// ServiceNouns are words before a verb that name how a tool works, not its subject:
// sql_query, web_search.
var ServiceNouns = Set{List: `sql db web api graphql rest http https mcp tool server client internet browser`}

// FigureVerbs are verbs of tools that return a figure.
var FigureVerbs = Set{List: `calculate compute count sum evaluate eval measure estimate average convert`}

// The verbs of tool names, by their effect.
var (
	// ReadVerbs are verbs of tools that change nothing.
	ReadVerbs = Set{List: `get fetch read find search list query lookup look retrieve show view describe load check browse select scan
		count inspect peek resolve discover locate download export preview summarize calculate compute evaluate eval measure estimate
		average convert validate verify test compare track watch monitor ask explain analyze analyse obtain collect enumerate head stat ls
		cat recall remember think scrape crawl map transfer ping wait help login logout authenticate authorize`}
	// CreatingVerbs are verbs of tools that create an entity.
	CreatingVerbs = Set{List: `create add insert new make post register book open submit send start launch run publish upload generate
		clone copy duplicate fork import schedule invite place purchase buy reserve enroll subscribe build provision allocate append push
		draft compose reply mint spawn init initialize`}
	// UpdatingVerbs are verbs of tools that change an entity.
	UpdatingVerbs = Set{List: `update edit modify change set rename move patch put save store write replace assign unassign attach detach
		enable disable activate deactivate close reopen complete cancel approve reject accept decline confirm apply merge exchange return
		refund restore reset toggle increment adjust extend renew upgrade downgrade link tag label mark pin unpin lock unlock upsert sync
		configure clear empty flush truncate transition promote demote share grant revoke invoke execute call trigger stop restart pause
		resume reorder sort swap pay charge redeem ship process handle void withdraw abort archive retire expire dismiss undo undelete
		untrash unarchive recover reinstate reactivate`}
	// DeletingVerbs are verbs of tools that delete an entity.
	DeletingVerbs = Set{List: `delete remove destroy purge trash drop erase del rm rmdir discard wipe terminate unlink kill`}
	// DetachingVerbs are those of DeletingVerbs that also take a part out of a whole, which
	// both go on.
	DetachingVerbs = Set{List: `remove drop discard unlink`}
	// EmptyingVerbs are verbs that leave the container behind whose contents they delete.
	EmptyingVerbs = Set{List: `purge wipe erase clear empty flush truncate`}
	// EndingVerbs are those of UpdatingVerbs whose entity has ended and can still be spoken of.
	EndingVerbs = Set{List: `cancel void withdraw stop close archive reject revoke decline abort retire expire dismiss deactivate
		resolve`}
	// RestoringVerbs are those of UpdatingVerbs that bring back what ended or was deleted.
	RestoringVerbs = Set{List: `restore reopen undo undelete untrash unarchive recover reinstate reactivate`}
)

// The states of records.
var (
	// EndedStates are states of what can still be spoken of.
	EndedStates = Set{List: `cancelled canceled voided void withdrawn stopped closed archived rejected revoked declined aborted retired
		expired dismissed deactivated resolved`}
	// GoneStates are states of what no longer exists.
	GoneStates = Set{List: `deleted trashed terminated removed purged destroyed erased terminating shutting_down`}
	// LivingStates are states of what has not ended.
	LivingStates = Set{List: `active open opened reopened running started live restored scheduled published confirmed booked approved
		accepted draft new in_progress`}
)

// EditingVerbs are the updating verbs of tools whose arguments say what their subject is from
// now on. The name in share_document is that of somebody else.
var EditingVerbs = Set{List: `update edit modify change set rename patch put save store write replace adjust move upsert configure
	transition`}

// FoundingVerbs are the creating verbs of tools whose subject exists only since, under the name
// that the arguments give it. The label in add_label has been there before.
var FoundingVerbs = Set{List: `create new make register provision init initialize mint`}

// EmptiedNouns are containers that EmptyingVerbs empty.
var EmptiedNouns = Set{List: `queue topic stream cache trash bin table index database collection cart basket folder directory bucket log
	inbox mailbox list history buffer disk volume device clipboard`}

// ResolvableNouns are the subjects that resolve ends. It looks up others: resolve_domain.
var ResolvableNouns = Set{List: `incident issue ticket alert alarm conflict comment thread conversation discussion case dispute problem
	complaint claim bug finding`}

// EnglishVerb returns the English verb for one of another language in a tool's name, or "". The list
// has those that are no English words.
var EnglishVerb = byWord(`create: erstellen, erstelle, anlegen, crear, créer, creer, criar, creare, utwórz, utworz, stwórz, stworz, aanmaken
update: aktualisieren, aktualisiere, ändern, aendern, bearbeiten, actualizar, actualiza, actualiser, atualizar, alterar, aggiornare, aggiorna, modificar, modificare, aktualizuj, zmień, zmien, bijwerken, wijzigen, wijzig
delete: löschen, loeschen, lösche, loesche, entfernen, entferne, eliminar, elimina, borrar, borra, supprimer, supprime, effacer, eliminare, excluir, apagar, deletar, usuń, usun, skasuj, verwijderen, verwijder
cancel: stornieren, storniere, kündigen, kuendigen, cancelar, cancela, anular, anula, annuler, annule, annullare, annulla, cancellare, cancella, anuluj, annuleren, annuleer
close: schließen, schliessen, schließe, schliesse, cerrar, fermer, fechar, chiudere, chiudi, zamknij, sluiten
archive: archivieren, archiviere, archivar, arquivar, archiviare, archivia, archiwizuj, archiveren
restore: wiederherstellen, restaurar, restaurer, ripristinare, ripristina, przywróć, przywroc
get: abrufen, obtener, obtén, obtenir, obter, ottenere, ottieni, pobierz, ophalen
list: liste, auflisten, listar, lista, lister, elencare, elenca, wypisz, lijst
search: suchen, suche, buscar, busca, chercher, rechercher, cercare, cerca, szukaj, wyszukaj, zoeken, zoek
`)
