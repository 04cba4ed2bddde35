-- Records without a strategy are discrete.
UPDATE {schema}.records SET strategy = 'discrete' WHERE strategy = '';
ALTER TABLE {schema}.records ADD extraction_config text; -- JSON; NULL if there is none
