/** better-sqlite3, where it is installed: a native module, which the package itself must not depend on. */
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";

/** The newest one for Node 20. */
const PACKAGE = "better-sqlite3";
const VERSION = "12.11.1";

export interface SqliteStatement {
	run(...values: readonly unknown[]): { readonly changes: number };
	get(...values: readonly unknown[]): unknown;
	pluck(): SqliteStatement;
	safeIntegers(): SqliteStatement;
}

export interface SqliteDatabase {
	exec(sql: string): void;
	pragma(text: string): void;
	prepare(sql: string): SqliteStatement;
	transaction<A extends readonly unknown[]>(
		work: (...args: A) => void,
	): { immediate(...args: A): void };
	close(): void;
}

export interface Sqlite {
	/** Of the module. */
	readonly version: string;
	/** Of SQLite itself. */
	readonly sqlite: unknown;
	open(path: string): SqliteDatabase;
}

/** Looks in the `node_modules` of a folder; without it, or when it does not load there, says why and what to do. */
export function loadSqlite(folder: string = PACKAGE_ROOT): Sqlite | { readonly missing: string } {
	const load = createRequire(join(resolve(folder), "package.json"));
	try {
		const Database = load(PACKAGE) as new (path: string) => SqliteDatabase;
		const { version } = load(`${PACKAGE}/package.json`) as { version: string };
		const memory = new Database(":memory:");
		const sqlite = memory.prepare("SELECT sqlite_version()").pluck().get();
		memory.close();
		return { version, sqlite, open: (path) => new Database(path) };
	} catch (error) {
		const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
		return {
			missing: `SQLite was not measured (${reason}). Run "npm install --prefix <folder> ${PACKAGE}@${VERSION}", which may need a C++ compiler, make and Python, then "npm run bench -- store --sqlite <folder>".`,
		};
	}
}
