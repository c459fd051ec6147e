/** The store in a PostgreSQL database, for more processes than one. */

export { openPostgresStore } from "./postgres-store.js";
