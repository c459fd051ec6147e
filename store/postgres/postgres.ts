/** The store in a PostgreSQL database, for more processes than one. */

export { openPostgresStore, type PostgresStore } from "./postgres-store.js";
