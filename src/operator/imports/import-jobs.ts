import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { graphIdField } from "../../contract/contract.js";
import {
	type Clock,
	type Ids,
	invalidArgument,
	notFound,
	ServiceError,
	toIsoTime,
} from "../../kernel/kernel.js";
import { createPathClaims, writeBundle } from "../../knowledge/knowledge.js";
import type { GraphRepository } from "../publication/graph-repository.js";
import type { GraphImporter } from "./graph-importer.js";
import { importCommand } from "./import-command.js";
import type { ImportReport } from "./import-report.js";

const { as: _as, update: _update, source, dry_run: _dry, ...options } = importCommand.shape;
const named = { graph_id: graphIdField, import_id: z.string().min(1).max(80) };

export const importJobCommands = {
	start: z.strictObject({
		...options,
		graph_id: graphIdField,
		/** Absolute path of a folder or a zip on this machine; or else `files`. */
		source: source.optional(),
		/** Texts by path. */
		files: z
			.array(z.strictObject({ path: z.string().min(1).max(1_000), text: z.string() }))
			.min(1)
			.max(1_000)
			.optional(),
	}),
	one: z.strictObject(named),
};
type Start = z.output<typeof importJobCommands.start>;
type One = z.output<typeof importJobCommands.one>;

interface ImportJob {
	readonly id: string;
	readonly graph_id: string;
	readonly created_at: string;
	state: "running" | "done" | "failed" | "cancelled";
	progress: { readonly done: number; readonly total: number } | null;
	/** With the files that were left out, each with its reason. */
	report: Omit<ImportReport, "graph_id"> | null;
	error: { readonly code: string; readonly message: string } | null;
	finished_at: string | null;
}

/** Jobs that are remembered; the oldest that are over go first. */
const JOBS_MAX = 100;
const RUNNING_MAX = 10;

/** Imports that go on behind the reply to who asked for them; they are known until the server stops. */
export function createImportJobs(deps: {
	readonly importer: Pick<GraphImporter, "import">;
	readonly repository: Pick<GraphRepository, "getOwn">;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Ids;
}) {
	const jobs = new Map<string, ImportJob>();
	const stops = new Map<string, AbortController>();
	const find = ({ graph_id, import_id }: One): ImportJob => {
		const job = jobs.get(import_id);
		if (job?.graph_id === graph_id) return job;
		throw notFound(
			`No import "${import_id}" of "${graph_id}" is known; imports are forgotten when the server stops.`,
		);
	};
	return {
		/** Throws NOT_FOUND for an unknown graph, and INVALID_ARGUMENT unless there is one source. */
		async startImport({ graph_id, source: given, files, ...rest }: Start) {
			deps.repository.getOwn(graph_id);
			if ((given === undefined) === (files === undefined)) {
				throw invalidArgument('Name either "source", a path on this machine, or "files".');
			}
			if (stops.size >= RUNNING_MAX) {
				throw new ServiceError(
					"CONFLICT",
					`${RUNNING_MAX} imports are under way; wait until one is over.`,
				);
			}
			forgetOldest(jobs);
			const folder = files && (await writeFiles(files));
			const job: ImportJob = {
				id: deps.ids.next("job"),
				graph_id,
				created_at: toIsoTime(deps.clock.now()),
				state: "running",
				progress: null,
				report: null,
				error: null,
				finished_at: null,
			};
			const stop = new AbortController();
			jobs.set(job.id, job);
			stops.set(job.id, stop);
			const request = { ...rest, source: folder ?? given ?? "", as: graph_id, update: true };
			const work = deps.importer.import(
				request,
				({ done, total }) => {
					job.progress = { done, total };
				},
				stop.signal,
			);
			void settle(job, work, stop.signal).then(async () => {
				// Where the files lay meanwhile is of no use to who sent them.
				if (job.error && folder !== undefined) {
					const message = job.error.message.replaceAll(folder, "the files");
					job.error = { ...job.error, message };
				}
				job.finished_at = toIsoTime(deps.clock.now());
				stops.delete(job.id);
				if (folder !== undefined) await rm(folder, { recursive: true, force: true });
			});
			return { ...job };
		},
		getImport: async (asked: One) => ({ ...find(asked) }),
		/** What was on sale is on sale again; nothing happens to an import that is over. */
		async cancelImport(asked: One) {
			const job = find(asked);
			stops.get(job.id)?.abort();
			return { ...job };
		},
	};
}

function forgetOldest(jobs: Map<string, ImportJob>): void {
	const over = [...jobs.values()].find(({ state }) => state !== "running");
	if (jobs.size >= JOBS_MAX && over) jobs.delete(over.id);
}

async function settle(job: ImportJob, work: Promise<ImportReport>, signal: AbortSignal) {
	try {
		const { graph_id: _, ...report } = await work;
		job.report = report;
		job.state = "done";
	} catch (error) {
		const known = error instanceof ServiceError ? error : undefined;
		job.state = signal.aborted ? "cancelled" : "failed";
		job.error = {
			code: known?.code ?? "INTERNAL",
			message: known?.message ?? "The import failed; try it again, or import fewer files at once.",
		};
	}
}

/** Throws INVALID_ARGUMENT for paths that leave the folder or stand in each other's way. */
async function writeFiles(files: NonNullable<Start["files"]>): Promise<string> {
	const claim = createPathClaims();
	for (const { path } of files) {
		const reason = claim(path);
		if (reason !== undefined) throw invalidArgument(`"${path}": ${reason}`);
	}
	if (new Set(files.map(({ path }) => path)).size < files.length) {
		throw invalidArgument("Two of the files have the same path; give each its own.");
	}
	const encoder = new TextEncoder();
	const folder = await mkdtemp(join(tmpdir(), "tollgraph-import-"));
	try {
		const texts = files.map(({ path, text }) => [path, encoder.encode(text)] as const);
		await writeBundle(new Map(texts), folder);
		return folder;
	} catch (error) {
		await rm(folder, { recursive: true, force: true });
		throw error;
	}
}
