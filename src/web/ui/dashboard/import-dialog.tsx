import { zipSync } from "fflate";
import { useEffect, useMemo, useState } from "preact/hooks";
import { say } from "../say.js";
import type { Admin, Progress } from "./admin-api.js";
import { Dialog } from "./change-dialog.js";
import { type DroppedFile, filesOf, filesOfDrop } from "./dropped-files.js";
import { Unusable, useGuard } from "./loading.js";
import { countOf } from "./money.js";

/** A folder or a zip becomes a graph: its report first, and on sale only after that. */

interface Report {
	readonly graph_id: string;
	readonly imported: number;
	readonly nodes: number;
	readonly edges: number;
	readonly evidence: number;
	readonly skipped: readonly { readonly file: string; readonly reason: string }[];
	readonly changed: {
		readonly added: number;
		readonly changed: number;
		readonly removed: number;
		readonly unchanged: number;
	};
	readonly quality?: {
		readonly score: number;
		readonly advice: readonly { readonly points: number; readonly message: string }[];
	};
}

/** As the server takes them: a slow line sends them in the half minute that a request has. */
const BYTES_MAX = 16 * 1024 * 1024;
const SHOWN = 50;

type Source = { readonly name: string; readonly archive: Uint8Array<ArrayBuffer> };

/** Throws with a sentence where there is nothing to import, or too much of it. */
async function pack(files: readonly DroppedFile[]): Promise<Source> {
	const [first] = files;
	if (!first) throw new Unusable("There is no file in it that could be imported.");
	const isZip = files.length === 1 && /\.zip$/i.test(first.path);
	const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
	if (bytes > BYTES_MAX * (isZip ? 1 : 4)) {
		throw new Unusable(
			"That is too much to send; import it by the command line on the server's machine.",
		);
	}
	const name = first.folder ?? first.path.replace(/\.zip$/i, "");
	if (isZip) return { name, archive: new Uint8Array(await first.file.arrayBuffer()) };
	const contents: Record<string, Uint8Array> = {};
	for (const { path, file } of files) contents[path] = new Uint8Array(await file.arrayBuffer());
	const archive = zipSync(contents, { level: 6 });
	if (archive.length > BYTES_MAX) {
		throw new Unusable(
			"Packed it has more than 16 MiB; import it by the command line on the server's machine.",
		);
	}
	return { name, archive };
}

const toId = (name: string): string =>
	name
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-+|-+$/g, "")
		.slice(0, 60);

interface ImportProps {
	readonly admin: Admin;
	readonly onClose: () => void;
	readonly onDone: () => void;
}

function useImport({ admin, onClose, onDone }: ImportProps) {
	const [source, setSource] = useState<Source>();
	const [graphId, setGraphId] = useState("");
	const [isUpdate, setUpdate] = useState(false);
	const [report, setReport] = useState<Report>();
	const [progress, setProgress] = useState<Progress>();
	const { problem, isBusy, guard } = useGuard();
	const left = useMemo(() => new AbortController(), []);
	const take = (found: Promise<readonly DroppedFile[]>) =>
		guard(async () => {
			const packed = await pack(await found);
			setSource(packed);
			setReport(undefined);
			setGraphId((id) => id || toId(packed.name));
		});
	const send = ({ archive }: Source, isDry: boolean) =>
		admin.follow<Report>("/imports", {
			method: "POST",
			query: {
				options: JSON.stringify({
					as: graphId,
					update: isUpdate,
					...(isDry && { dry_run: true, quality: true }),
				}),
			},
			body: archive,
			onProgress: setProgress,
			signal: left.signal,
		});
	// The server stops, and takes back, what no one waits for any more.
	useEffect(() => () => left.abort(), []);
	const submit = () =>
		guard(async () => {
			setProgress(undefined);
			if (!source) throw new Unusable("Choose a folder or a zip first.");
			if (!report) {
				setReport(await send(source, true));
				document.getElementById("report-t")?.focus();
				return;
			}
			const { graph_id, nodes } = await send(source, false);
			say(`${graph_id} is on sale with ${nodes} concepts.`);
			onDone();
			onClose();
		});
	/** A report is of what was read under this id, with this choice. */
	const chosen =
		<T,>(set: (value: T) => void) =>
		(value: T) => {
			set(value);
			setReport(undefined);
		};
	return {
		...{ source, graphId, isUpdate, report, progress, problem, isBusy, take, submit },
		setGraphId: chosen(setGraphId),
		setUpdate: chosen(setUpdate),
	};
}

export function ImportDialog({ admin, onClose, onDone }: ImportProps) {
	const { source, graphId, isUpdate, report, progress, problem, isBusy, ...act } = useImport({
		...{ admin, onClose, onDone },
	});
	return (
		<Dialog title="Import a folder" onClose={onClose}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					if (!isBusy) void act.submit();
				}}
			>
				<div class="card-body">
					<Choice
						name={
							source &&
							`${source.name}, ${countOf(Math.ceil(source.archive.length / 1024))} KiB packed`
						}
						onTake={(found) => void act.take(found)}
					/>
					<div class="field">
						<label for="imp-id">Id of the graph</label>
						<input
							id="imp-id"
							value={graphId}
							required
							maxLength={64}
							autocomplete="off"
							aria-describedby="imp-id-h"
							onInput={(event) => act.setGraphId(event.currentTarget.value)}
						/>
						<p class="hint" id="imp-id-h">
							Small letters, digits and hyphens; part of its address.
						</p>
					</div>
					<label class="check">
						<input
							type="checkbox"
							checked={isUpdate}
							onChange={(event) => act.setUpdate(event.currentTarget.checked)}
						/>
						It updates the graph of this id; the version before is kept
					</label>
					{report && <ReportOf report={report} isUpdate={isUpdate} />}
					{isBusy && progress && (
						<progress
							max={progress.total}
							value={progress.done}
							aria-label={progress.stage ?? "Progress of the import"}
						/>
					)}
					{problem !== undefined && (
						<p class="err" role="alert">
							{problem}
						</p>
					)}
				</div>
				<footer>
					<button class="btn" type="button" onClick={onClose}>
						Cancel
					</button>
					<button class="btn btn-pay" type="submit" aria-busy={isBusy}>
						{report ? "Put it on sale" : "Read it and show the report"}
					</button>
				</footer>
			</form>
		</Dialog>
	);
}

function Choice({
	name,
	onTake,
}: {
	readonly name: string | undefined;
	readonly onTake: (found: Promise<readonly DroppedFile[]>) => void;
}) {
	return (
		<section
			class="drop"
			aria-label="What is imported"
			onDragOver={(event) => event.preventDefault()}
			onDrop={(event) => {
				event.preventDefault();
				if (event.dataTransfer) onTake(filesOfDrop(event.dataTransfer));
			}}
		>
			<p>
				<strong>{name ?? "Drop a folder of Markdown or a zip here"}</strong>
			</p>
			<div class="field">
				<label for="imp-folder">or choose a folder</label>
				<input
					id="imp-folder"
					type="file"
					{...{ webkitdirectory: true }}
					onChange={(event) => onTake(filesOf(event.currentTarget.files))}
				/>
			</div>
			<div class="field">
				<label for="imp-zip">or a zip</label>
				<input
					id="imp-zip"
					type="file"
					accept=".zip,application/zip"
					onChange={(event) => onTake(filesOf(event.currentTarget.files))}
				/>
			</div>
			<p class="hint">You see the report first. Nothing is on sale until you say so.</p>
		</section>
	);
}

function ReportOf({ report, isUpdate }: { readonly report: Report; readonly isUpdate: boolean }) {
	const { changed, skipped, quality } = report;
	const facts: readonly (readonly [string, number])[] = [
		["Concepts", report.nodes],
		["Links", report.edges],
		["Sources", report.evidence],
		...(isUpdate
			? ([
					["Added", changed.added],
					["Changed", changed.changed],
					["Removed", changed.removed],
				] as const)
			: []),
		["Left out", skipped.length],
	];
	return (
		<section class="import-report" aria-labelledby="report-t">
			<h3 id="report-t" tabIndex={-1}>
				Report: nothing is on sale yet
			</h3>
			<dl class="facts-row">
				{facts.map(([name, value]) => (
					<div key={name}>
						<dt>{name}</dt>
						<dd>{countOf(value)}</dd>
					</div>
				))}
			</dl>
			{quality && (
				<p>
					Quality: {quality.score} of 100.
					{quality.advice.slice(0, 3).map(({ message }) => ` ${message}`)}
				</p>
			)}
			{skipped.length > 0 && (
				<details>
					<summary>What was left out, and why</summary>
					<ul class="small">
						{skipped.slice(0, SHOWN).map(({ file, reason }) => (
							<li key={file}>
								<code>{file}</code>: {reason}
							</li>
						))}
					</ul>
				</details>
			)}
		</section>
	);
}
