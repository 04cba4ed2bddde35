package redisstore

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed scripts/session.lua
	sessionLua string
	//go:embed scripts/append.lua
	appendLua string
	//go:embed scripts/write.lua
	writeLua string
	//go:embed scripts/delete.lua
	deleteLua string
	//go:embed scripts/state.lua
	stateLua string
	//go:embed scripts/index.lua
	indexLua string
	//go:embed scripts/mark.lua
	markLua string
	//go:embed scripts/settle.lua
	settleLua string
	//go:embed scripts/list.lua
	listLua string
	//go:embed scripts/due.lua
	dueLua string
	//go:embed scripts/stamp.lua
	stampLua string
	//go:embed scripts/stage.lua
	stageLua string
	//go:embed scripts/result.lua
	resultLua string
	//go:embed scripts/token.lua
	tokenLua string
	//go:embed scripts/documents.lua
	documentsLua string
	//go:embed scripts/documentlist.lua
	documentListLua string
	//go:embed scripts/documentdue.lua
	documentDueLua string
	//go:embed scripts/documentwrite.lua
	documentWriteLua string
)

// scripts run atomically on the server. The first three change a session and state reads one;
// the next five work on the index, stage and result put a result, token works on tokens, and
// the last ones on the documents of summary views.
type scripts struct {
	append, write, delete, state *redis.Script
	mark, settle, list           *redis.Script
	due, stamp                   *redis.Script
	stage, result                *redis.Script
	token                        *redis.Script

	documentList, documentDue, documentWrite *redis.Script
}

func newScripts() scripts {
	return scripts{
		append: redis.NewScript(sessionLua + appendLua),
		write:  redis.NewScript(sessionLua + writeLua),
		delete: redis.NewScript(sessionLua + deleteLua),
		state:  redis.NewScript(stateLua),
		mark:   redis.NewScript(indexLua + markLua),
		settle: redis.NewScript(indexLua + settleLua),
		list:   redis.NewScript(indexLua + listLua),
		due:    redis.NewScript(indexLua + dueLua),
		stamp:  redis.NewScript(indexLua + stampLua),
		stage:  redis.NewScript(stageLua),
		result: redis.NewScript(resultLua),
		token:  redis.NewScript(tokenLua),

		documentList:  redis.NewScript(documentsLua + documentListLua),
		documentDue:   redis.NewScript(documentsLua + documentDueLua),
		documentWrite: redis.NewScript(documentsLua + documentWriteLua),
	}
}
