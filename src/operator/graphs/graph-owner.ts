import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { GRAPH_TYPES, graphIdField } from "../../contract/contract.js";
import {
	type Clock,
	invalidArgument,
	notFound,
	parseGraphId,
	toIsoDay,
	toIsoTime,
} from "../../kernel/kernel.js";
import {
	type BundleChanges,
	bundleFilesFrom,
	bundleFilesOf,
	type Changeable,
	changesTo,
	type Graph,
	type GraphCatalog,
	type GraphHistory,
	type GraphRecord,
	type GraphVersion,
	nameSharedVersion,
	RECORD_PATH,
	readBundleInTurns,
	readGraph,
	readMemory,
	runAtOnce,
	SETTABLE_FIELDS,
	type SettableField,
	sharedVersionOf,
	toRecordFile,
	writeBundle,
} from "../../knowledge/knowledge.js";
import type { SearchEngine } from "../../search/search.js";
import { inspectGraph, type QualityReport } from "../imports/graph-quality.js";
import { assertIdFree, namesOf, toChanges } from "../imports/import-report.js";
import { moveGraph, takeAway } from "../publication/graph-departures.js";
import type { GraphRepository } from "../publication/graph-repository.js";

const line = (max: number) => z.string().trim().max(max);
const named = { graph_id: graphIdField };

const about = {
	...named,
	title: line(200).min(1).optional(),
	description: line(2_000).optional(),
	topics: z.array(line(60).min(1)).max(20).optional(),
	contact: line(200).optional(),
	license: line(200).optional(),
};

/** What the owner's commands about a graph as a whole take. */
export const graphCommands = {
	create: z.strictObject({
		...about,
		title: about.title.unwrap(),
		type: z.enum(GRAPH_TYPES).default("domain"),
	}),
	named: z.strictObject(named),
	release: z.strictObject({ ...named, label: line(80).min(1), notes: line(4_000).default("") }),
	rollBack: z.strictObject({
		...named,
		/** The number of a version, or a time: then the version that was on sale at it. The version before the last by default. */
		to: z.union([z.int().min(1), z.iso.datetime(), z.iso.date()]).optional(),
	}),
	rename: z.strictObject({ ...named, new_id: graphIdField }),
	set: z.strictObject(about),
};
type Creation = z.output<typeof graphCommands.create>;
type Release = z.output<typeof graphCommands.release>;
type Named = z.output<typeof graphCommands.named>;
type RollBack = z.output<typeof graphCommands.rollBack>;
type Renaming = z.output<typeof graphCommands.rename>;
type Setting = z.output<typeof graphCommands.set>;

interface OwnerServices {
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	readonly history: GraphHistory;
	readonly search: SearchEngine;
	readonly clock: Clock;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
	/** Runs one thing at a time that changes imported files. */
	readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What becomes of what names a graph that is not on sale under its id any more. */
const AFTERMATH = [
	"Receipts, invoices and the ledger keep the id.",
	"Schedules name no graph: their next briefings are made from the graphs that are on sale then.",
	"Chats that were limited to it say that it is gone, or go on with their other graphs.",
	"Tokens and keys that were limited to it buy nothing with that id.",
] as const;

/** What the owner of an imported graph does with it as a whole. */
export type GraphOwner = ReturnType<typeof createGraphOwner>;

export function createGraphOwner(deps: OwnerServices) {
	const { catalog, repository, history, inTurn } = deps;
	return {
		/** A graph without concepts. Throws INVALID_ARGUMENT for an id that is taken. */
		createGraph: (request: Creation) => inTurn(() => createDraft(deps, request)),
		/** Newest first. Throws NOT_FOUND, and INVALID_ARGUMENT for a graph that was not imported. */
		listVersions: ({ graph_id }: Named) =>
			inTurn(async () => {
				const versions = await listKept(deps, repository.getOwn(graph_id));
				return { graph_id, items: versions.map(toVersionRow).reverse() };
			}),
		/** Names the version on sale; a later release of the same version takes the place of this one. */
		releaseGraph: ({ graph_id, label, notes }: Release) =>
			inTurn(async () => {
				const graph = repository.getOwn(graph_id);
				return { graph_id, ...(await history.release(graph, { label, notes })) };
			}),
		/** Puts an earlier version on sale again, as a new one; a graph that was removed comes back. Throws NOT_FOUND. */
		rollBack: (request: RollBack) => inTurn(() => rollBack(deps, request)),
		/** Takes a graph off sale; it can be brought back until the next graph of its id is removed. */
		removeGraph: ({ graph_id }: Named) =>
			inTurn(async () => {
				const graph = repository.getOwn(graph_id);
				await repository.withdraw(graph_id);
				await takeAway(deps, graph);
				return { graph_id, removed: graph.concepts.length, notes: AFTERMATH };
			}),
		/** Gives a graph another id; the old one says what it is called now. */
		renameGraph: (request: Renaming) => inTurn(() => rename(deps, request)),
		/** Changes what a graph says of itself; updates leave it as it is set. */
		setGraph: (request: Setting) => inTurn(() => setRecord(deps, request)),
		/** What the report of an import says of a graph, for the one on sale. */
		async checkGraph({ graph_id }: Named): Promise<{ readonly graph_id: string } & QualityReport> {
			const graph = catalog.getHeld(graph_id);
			const isOnSale = graph.concepts.length > 0;
			return {
				graph_id,
				...(await inspectGraph(graph, { ...deps, isOnSale, signal: undefined })),
			};
		},
	};
}

async function createDraft(
	{ catalog, repository, history, folder, clock }: OwnerServices,
	{ graph_id, title, type, description = "", topics = [], contact, license }: Creation,
) {
	assertIdFree(catalog, graph_id, false);
	const given = { title, description, topics, contact, license };
	const record: GraphRecord = {
		id: graph_id,
		slug: graph_id,
		title,
		type,
		version: "1.0.0",
		updated: toIsoDay(clock.now()),
		description,
		about: "",
		topics,
		exampleQueries: [],
		curator: undefined,
		expert: undefined,
		analyst: undefined,
		...(contact !== undefined && { contact }),
		...(license !== undefined && { license }),
		// What the owner says of it here is no guess that an import may replace.
		setByOwner: SETTABLE_FIELDS.filter((field) => (given[field]?.length ?? 0) > 0),
	};
	const place = join(folder, parseGraphId(graph_id));
	await history.clear(graph_id);
	await writeBundle(runAtOnce(bundleFilesOf({ record, concepts: [] })), place);
	const graph = await readGraph(place);
	await history.begin(graph);
	try {
		await repository.publish(graph, { vectors: "background" });
	} catch (error) {
		await rm(place, { recursive: true, force: true });
		throw error;
	}
	return { graph_id, title, type, state: "draft" as const };
}

function toVersionRow({ number, at, cause, nodes, release }: GraphVersion) {
	return { number, at, cause, nodes, ...(release && { release }) };
}

async function rollBack(deps: OwnerServices, { graph_id, to }: RollBack) {
	const { catalog, repository, folder } = deps;
	if (!catalog.findHeld(graph_id)) {
		const place = join(folder, parseGraphId(graph_id));
		await bringBack(deps, graph_id, place);
		const graph = await readGraph(place);
		try {
			await repository.publish(graph, { vectors: "background" });
		} catch (error) {
			await takeAway(deps, graph);
			throw error;
		}
		const version = await repository.versionOf(graph);
		const counts = { added: graph.concepts.length, changed: 0, removed: 0, unchanged: 0 };
		return { graph_id, version, restored: version, changed: counts };
	}
	const graph = repository.getOwn(graph_id);
	await readMemory(graph);
	const wanted = chooseVersion(await listKept(deps, graph), graph_id, to);
	const undo = await changesBackTo(deps, graph, wanted);
	// A version from before the graph was renamed has its old id.
	const keepId = ({ graph: { record } }: { readonly graph: Graph }) =>
		record.id === graph_id ? undefined : recordChange(withId(record, graph_id));
	const staged = await repository.stage(graph, undo, keepId);
	await repository.apply(staged, { cause: "rollback" });
	const { changed } = toChanges(namesOf(graph, undo));
	const version = await repository.versionOf(staged.next);
	return { graph_id, version, restored: wanted, changed };
}

/** Oldest first, those included that other processes had on sale before this one knew of the graph. */
async function listKept(
	{ history, repository }: Pick<OwnerServices, "history" | "repository">,
	graph: Graph,
): Promise<readonly GraphVersion[]> {
	const own = await history.versionsOf(graph);
	const numbers = new Set(own.map(({ number }) => number));
	const shared = (await repository.archive?.list(graph.record.id)) ?? [];
	const others = shared.filter(({ number }) => !numbers.has(number));
	return [...own, ...others].sort((one, other) => one.number - other.number);
}

/** Throws NOT_FOUND for a version that is not kept. */
async function changesBackTo(
	{ history, repository }: OwnerServices,
	graph: Changeable,
	number: number,
): Promise<BundleChanges> {
	const own = await history.versionsOf(graph);
	const isOwn = own.some((one) => one.number === number);
	if (isOwn || !repository.archive) return history.changesBackTo(graph, number);
	return changesTo(graph, await repository.archive.read(graph.record.id, number));
}

/** The files of a graph that was removed, from here or from what all processes keep. Throws NOT_FOUND. */
async function bringBack(
	{ history, repository }: OwnerServices,
	id: string,
	place: string,
): Promise<void> {
	try {
		await history.bringBack(id, place);
	} catch (error) {
		const files = await repository.archive?.read(id).catch(() => undefined);
		if (!files) throw error;
		await history.clear(id);
		await writeBundle(files, place);
	}
}

/** Throws NOT_FOUND. */
function chooseVersion(versions: readonly GraphVersion[], id: string, to: RollBack["to"]): number {
	if (typeof to === "number") return to;
	const found =
		to === undefined
			? versions.at(-2)
			: versions.findLast(({ at }) => Date.parse(at) <= Date.parse(to));
	if (found) return found.number;
	throw notFound(
		`No version of "${id}" from ${to === undefined ? "before the one on sale" : `"${to}" or before`} is kept; tollgraph graphs versions ${id} lists those that are.`,
	);
}

async function rename(deps: OwnerServices, { graph_id, new_id }: Renaming) {
	const { catalog, repository, folder, clock } = deps;
	const graph = repository.getOwn(graph_id);
	assertIdFree(catalog, new_id, false);
	await readMemory(graph);
	const undo = recordChange(graph.record);
	const record = withId(graph.record, new_id);
	const files = new Map([...(await bundleFilesFrom(graph)), ...recordChange(record)]);
	const place = join(folder, parseGraphId(new_id));
	const number = (await repository.versionOf(graph)) + 1;
	const made = { number, at: toIsoTime(clock.now()), cause: "rename" } as const;
	const { graph: planned } = await readBundleInTurns(files, { folder: place });
	await repository.announce(planned, { files, made, former: graph_id });
	const version = sharedVersionOf(planned);
	const onMoved = (moved: Graph) => version !== undefined && nameSharedVersion(moved, version);
	const renamed = await moveGraph(deps, { graph, record, files, undo, made, onMoved });
	return {
		graph_id: new_id,
		former_id: graph_id,
		nodes: renamed.concepts.length,
		notes: AFTERMATH,
	};
}

function withId(record: GraphRecord, id: string): GraphRecord {
	return { ...record, id, slug: record.slug === record.id ? id : record.slug };
}

function recordChange(record: GraphRecord): ReadonlyMap<string, Uint8Array> {
	return new Map([[RECORD_PATH, new TextEncoder().encode(toRecordFile(record))]]);
}

async function setRecord({ repository, clock }: OwnerServices, { graph_id, ...given }: Setting) {
	const fields = Object.entries(given).filter(([, value]) => value !== undefined);
	if (fields.length === 0) {
		throw invalidArgument(
			"Nothing was named to set: give a title, a description, topics, a contact or a licence.",
		);
	}
	const graph = repository.getOwn(graph_id);
	const names = fields.map(([name]) => name as SettableField);
	const record: GraphRecord = {
		...graph.record,
		...Object.fromEntries(fields),
		updated: toIsoDay(clock.now()),
		setByOwner: [...new Set([...(graph.record.setByOwner ?? []), ...names])].sort(),
	};
	const { record: now } = await repository.change(graph, recordChange(record), "settings");
	const { title, description, topics, contact = "", license = "" } = now;
	return { graph_id, title, description, topics, contact, license };
}
