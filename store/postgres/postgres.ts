/** The store in a PostgreSQL database, for more processes than one. */

export { type DatabaseState, describeDatabase, inspectDatabase } from "./inspect-database.js";
export { type MovingBooks, openMovingBooks } from "./moving-books.js";
export { openPostgresStore, type PostgresStore } from "./postgres-store.js";
