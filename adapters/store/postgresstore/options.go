package postgresstore

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// DefaultSchema is the schema of a Store whose Options name none.
const DefaultSchema = "workingmemory"

// ErrSchemaName says that Options.Schema is no name for a schema.
var ErrSchemaName = errors.New("postgresstore: bad name of a schema")

// Options are the options of a Store. The zero value is useful.
type Options struct {
	// Schema is the schema in which the tables are: 1 to 63 ASCII letters, digits,
	// "_" and "-", not beginning with "pg_". Stores with different schemas have
	// nothing in common. "": DefaultSchema.
	Schema string
	// SweepInterval is how often expired sessions are removed. They are not seen
	// before that either. 0: once a minute; negative: never, Sweep does it.
	SweepInterval time.Duration
	// NoMigrate says that New and Open must not change the schema, because others
	// do that with the statements of Migrations. A schema that is missing or older
	// is a *SchemaError then.
	NoMigrate bool
	// Logger is told why a sweep failed. nil: nobody is.
	Logger *slog.Logger
}

func (o *Options) withDefaults() (Options, error) {
	var own Options
	if o != nil {
		own = *o
	}
	if own.Schema == "" {
		own.Schema = DefaultSchema
	}
	if own.SweepInterval == 0 {
		own.SweepInterval = time.Minute
	}
	if own.Logger == nil {
		own.Logger = slog.New(slog.DiscardHandler)
	}
	return own, checkSchemaName(own.Schema)
}

func checkSchemaName(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	switch {
	case name == "" || len(name) > 63:
		return fmt.Errorf("%w: it has %d bytes, not 1 to 63", ErrSchemaName, len(name))
	case strings.Trim(name, letters) != "":
		return fmt.Errorf("%w: %q has more than ASCII letters, digits, _ and -", ErrSchemaName, name)
	case strings.HasPrefix(name, "pg_"):
		return fmt.Errorf("%w: %q begins with pg_", ErrSchemaName, name)
	}
	return nil
}

// quoted is the name of a schema as it stands in SQL.
func quoted(schema string) string { return pgx.Identifier{schema}.Sanitize() }
