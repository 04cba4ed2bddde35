package postgresstore

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// DefaultSchema is the default of Options.Schema.
const DefaultSchema = "workingmemory"

// ErrSchemaName is returned when Options.Schema is not valid.
var ErrSchemaName = errors.New("postgresstore: invalid schema name")

// Options configures a Store. The zero value uses the defaults.
type Options struct {
	// Schema is the schema of the tables: 1 to 63 ASCII letters, digits, "_" and "-", not
	// starting with "pg_". Stores with different schemas share nothing. If empty,
	// DefaultSchema is used.
	Schema string
	// SweepInterval is the interval at which expired sessions are removed. They are invisible
	// before that. If zero, it is one minute. If negative, only Store.Sweep removes them.
	SweepInterval time.Duration
	// NoMigrate prevents New and Open from changing the schema, for deployments that run the
	// statements of Migrations themselves. If the schema is missing or older, New and Open
	// return a *SchemaError.
	NoMigrate bool
	// Logger receives failures of sweeps and of indexing records again. If nil, nothing is logged.
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
		return fmt.Errorf("%w: length of %d bytes, want 1 to 63", ErrSchemaName, len(name))
	case strings.Trim(name, letters) != "":
		return fmt.Errorf("%w: %q has characters other than ASCII letters, digits, _ and -", ErrSchemaName, name)
	case strings.HasPrefix(name, "pg_"):
		return fmt.Errorf("%w: %q starts with pg_", ErrSchemaName, name)
	}
	return nil
}

// quoted returns the name of a schema as an SQL identifier.
func quoted(schema string) string { return pgx.Identifier{schema}.Sanitize() }
