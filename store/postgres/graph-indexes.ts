import { unavailable } from "../../src/kernel/kernel.js";
import type { GraphVersions, IndexSegment } from "../store.js";
import type { Session } from "./connection.js";
import {
	type Asking,
	dropUnnamed,
	type GraphTables,
	readFile,
	refused,
	writeFile,
} from "./graph-files.js";

/** How long a claim counts; one who makes vectors claims again long before. */
const LEASE = "interval '15 seconds'";

/** Vectors of versions: the process that has the claim makes them, and all others read them. */
export function createIndexes({
	pool,
	schema: s,
	ask,
	change,
}: GraphTables & Asking): GraphVersions["index"] {
	return {
		async claim({ version, model }, process) {
			// The clock of the database alone: those of the machines may differ.
			const [taken] = await ask(
				`INSERT INTO ${s}.graph_indexes AS i (version, model, claimant, until)
					SELECT version, $2, $3, now() + ${LEASE} FROM ${s}.graph_versions WHERE version = $1
					ON CONFLICT (version, model) DO UPDATE SET claimant = $3, until = now() + ${LEASE}
						WHERE NOT i.is_made AND (i.claimant = $3 OR i.until < now())
					RETURNING 1`,
				[version, model, process],
			);
			if (taken) return "ours";
			const [found] = await ask(
				`SELECT is_made FROM ${s}.graph_indexes WHERE version = $1 AND model = $2`,
				[version, model],
			);
			return found?.["is_made"] === true ? "made" : "another's";
		},
		async store({ version, model }, segments) {
			await change(async (session) => {
				const files: string[] = [];
				for (const segment of segments) files.push(await fileOf(session, s, segment));
				await session.query(`SELECT pg_advisory_xact_lock(${s}.lock_of('graphs'))`);
				const [row] = await session.query(
					`UPDATE ${s}.graph_indexes SET is_made = true WHERE version = $1 AND model = $2 AND NOT is_made RETURNING 1`,
					[version, model],
				);
				if (!row) return;
				for (const [place, file] of files.entries()) {
					await session.query(`INSERT INTO ${s}.graph_index_segments VALUES ($1, $2, $3, $4, $5)`, [
						...[version, model, place, file, segments[place]?.tombstones],
					]);
				}
				// The vectors of earlier versions are of no use once a newer one has all.
				await session.query(
					`DELETE FROM ${s}.graph_indexes AS i USING ${s}.graph_versions AS v, ${s}.graph_versions AS now
						WHERE now.version = $1 AND v.graph_id = now.graph_id AND v.version < $1 AND i.version = v.version AND i.model = $2`,
					[version, model],
				);
				await dropUnnamed(session, s);
			});
		},
		async find(graphId, model) {
			const rows = await ask(
				`SELECT f.name, i.tombstones FROM ${s}.graph_index_segments AS i JOIN ${s}.graph_files AS f ON f.id = i.file
					WHERE i.model = $2 AND i.version = (
						SELECT max(i.version) FROM ${s}.graph_indexes AS i JOIN ${s}.graph_versions AS v ON v.version = i.version
						WHERE v.graph_id = $1 AND i.model = $2 AND i.is_made
					) ORDER BY i.place`,
				[graphId, model],
			);
			return rows.map(({ name, tombstones }) => ({
				name: String(name),
				tombstones: String(tombstones),
			}));
		},
		readSegment: (name) =>
			refused(
				readFile(pool, s, {
					...{ where: "name = $1", value: name },
					what: `The segment ${name} of an index`,
				}),
			),
	};
}

/** A segment that is there already is not written again; the lock keeps it from being dropped until it is named. */
async function fileOf(
	session: Session,
	schema: string,
	{ name, write }: IndexSegment,
): Promise<string> {
	const find = `SELECT id FROM ${schema}.graph_files WHERE name = $1 FOR KEY SHARE`;
	const [known] = await session.query(find, [name]);
	if (known) return String(known["id"]);
	const written = await writeFile(session, schema, { name, pieces: write() });
	if (written !== undefined) return written;
	const [other] = await session.query(find, [name]);
	if (other) return String(other["id"]);
	throw unavailable("A segment of an index was dropped while it was stored; it is stored again.");
}
