import { type Clock, ServiceError } from "../../src/kernel/kernel.js";
import {
	DamagedVersion,
	type GraphVersionRow,
	type GraphVersions,
	type NewGraphVersion,
} from "../store.js";
import type { Rows, Session } from "./connection.js";
import {
	createAsking,
	dropUnnamed,
	type GraphTables,
	readFile,
	refused,
	writeFile,
} from "./graph-files.js";
import { createIndexes } from "./graph-indexes.js";
import { watchChannel } from "./graph-notices.js";

const COLUMNS =
	"version, graph_id, base, number, at, cause, nodes, content_hash, is_whole, removed, former, moved_to";

/** Versions of graphs in their tables. Bytes are written before the lock is taken under which numbers are drawn. */
export function createGraphVersions({
	url,
	clock,
	...tables
}: GraphTables & { readonly url: string; readonly clock: Clock }): GraphVersions {
	const { schema: s } = tables;
	const channel = s.replace(/"$/, '_graphs"');
	const { ask, change } = createAsking(tables);
	return {
		async publish(versions, maker) {
			const numbers = await change(async (session) => {
				const archives = await writeArchives(session, s, versions);
				await session.query(`SELECT pg_advisory_xact_lock(${s}.lock_of('graphs'))`);
				const drawn: number[] = [];
				for (const [place, one] of versions.entries()) {
					await assertNewest(session, s, one);
					drawn.push(await insert(session, s, one, archives[place]));
				}
				if (maker) await claimFirst(session, s, drawn[0], maker);
				return drawn;
			});
			// Outside of the transaction: a notice would make all others that notify wait for its commit.
			await ask("SELECT pg_notify($1, '')", [channel.slice(1, -1)]).catch(() => undefined);
			return numbers;
		},
		async newestAfter(version) {
			const rows = await ask(
				`SELECT ${COLUMNS} FROM ${s}.graph_versions WHERE version IN
					(SELECT max(version) FROM ${s}.graph_versions WHERE version > $1 GROUP BY graph_id) ORDER BY version`,
				[version],
			);
			return rows.map(toRow);
		},
		async chainOf({ graphId, version }) {
			const rows = await ask(
				`SELECT ${COLUMNS} FROM ${s}.graph_versions WHERE graph_id = $1 AND version BETWEEN
					(SELECT max(version) FROM ${s}.graph_versions WHERE graph_id = $1 AND version <= $2 AND is_whole) AND $2
					ORDER BY version`,
				[graphId, version],
			);
			return rows.map(toRow);
		},
		async readArchive(version) {
			const what = `The archive of version ${version}`;
			const where = `id = (SELECT archive FROM ${s}.graph_versions WHERE version = $1)`;
			const bytes = await refused(readFile(tables.pool, s, { where, value: version, what }));
			if (!bytes) throw new DamagedVersion(what);
			return bytes;
		},
		async sizesOf(graphId) {
			const [row] = await ask(
				`WITH kept AS (
					SELECT v.version, v.is_whole, f.bytes FROM ${s}.graph_versions AS v JOIN ${s}.graph_files AS f ON f.id = v.archive
					WHERE graph_id = $1
				), base AS (SELECT version, bytes FROM kept WHERE is_whole ORDER BY version DESC LIMIT 1)
				SELECT base.bytes AS whole, coalesce(sum(kept.bytes), 0) AS changes, count(kept.version) AS count
					FROM base LEFT JOIN kept ON kept.version > base.version GROUP BY base.bytes`,
				[graphId],
			);
			if (!row) return undefined;
			const { whole, changes, count } = row;
			return { whole: Number(whole), changes: Number(changes), count: Number(count) };
		},
		async list(graphId) {
			const rows = await ask(
				`SELECT ${COLUMNS} FROM ${s}.graph_versions WHERE graph_id = $1 ORDER BY version`,
				[graphId],
			);
			return rows.map(toRow);
		},
		async dropBelow(graphId, version) {
			await change(async (session) => {
				await session.query(`SELECT pg_advisory_xact_lock(${s}.lock_of('graphs'))`);
				await session.query(
					`DELETE FROM ${s}.graph_versions WHERE graph_id = $1 AND version <
						coalesce((SELECT max(version) FROM ${s}.graph_versions
							WHERE graph_id = $1 AND version <= $2 AND (is_whole OR content_hash IS NULL)), 0)`,
					[graphId, version],
				);
				await dropUnnamed(session, s);
			});
		},
		index: createIndexes({ ...tables, ask, change }),
		watch: (onNotice) => watchChannel({ url, channel, clock, onNotice }),
	};
}

async function writeArchives(
	session: Session,
	schema: string,
	versions: readonly NewGraphVersion[],
): Promise<readonly (string | undefined)[]> {
	const ids: (string | undefined)[] = [];
	for (const { archive } of versions) {
		ids.push(archive && (await writeFile(session, schema, { pieces: [archive] })));
	}
	return ids;
}

/** Throws CONFLICT where another process has published a version that this change has not begun from. */
async function assertNewest(
	session: Session,
	schema: string,
	{ graphId, base }: NewGraphVersion,
): Promise<void> {
	const [row] = await session.query(
		`SELECT max(version) AS newest FROM ${schema}.graph_versions WHERE graph_id = $1`,
		[graphId],
	);
	const newest = row?.["newest"] === null ? undefined : Number(row?.["newest"]);
	if (newest === base) return;
	throw new ServiceError(
		"CONFLICT",
		`The graph "${graphId}" was changed by another process meanwhile (version ${newest}; this change began from ${base ?? "none"}). Nothing has changed here; look at what is on sale now, and send the change again if it is still wanted.`,
	);
}

async function insert(
	session: Session,
	schema: string,
	one: NewGraphVersion,
	archive: string | undefined,
): Promise<number> {
	const { graphId, base, number, at, cause, nodes, contentHash, isWhole, removed } = one;
	const [row] = await session.query(
		`INSERT INTO ${schema}.graph_versions
			(graph_id, base, number, at, cause, nodes, content_hash, archive, is_whole, removed, former, moved_to)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING version`,
		[
			...[graphId, base ?? null, number, at, cause, nodes, contentHash ?? null, archive ?? null],
			...[isWhole, [...removed], one.former ?? null, one.movedTo ?? null],
		],
	);
	return Number(row?.["version"]);
}

async function claimFirst(
	session: Session,
	schema: string,
	version: number | undefined,
	{ model, process }: { readonly model: string; readonly process: string },
): Promise<void> {
	await session.query(
		`INSERT INTO ${schema}.graph_indexes (version, model, claimant, until) VALUES ($1, $2, $3, now() + interval '15 seconds')`,
		[version, model, process],
	);
}

function toRow(row: Rows[number]): GraphVersionRow {
	const text = (name: string) => (row[name] === null ? undefined : String(row[name]));
	return {
		version: Number(row["version"]),
		graphId: String(row["graph_id"]),
		base: row["base"] === null ? undefined : Number(row["base"]),
		number: Number(row["number"]),
		at: String(row["at"]),
		cause: String(row["cause"]),
		nodes: Number(row["nodes"]),
		contentHash: text("content_hash"),
		isWhole: row["is_whole"] === true,
		removed: row["removed"] as readonly string[],
		former: text("former"),
		movedTo: text("moved_to"),
	};
}
