-- The settings of the strategy of a record as JSON; NULL if there are none.
ALTER TABLE {schema}.records ADD extraction_config text;
