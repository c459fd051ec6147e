/** The store in a PostgreSQL database, for more processes than one. */

export { openPostgresStore, type PostgresStoreDeps } from "./postgres-store.js";
