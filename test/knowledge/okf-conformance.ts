import { type FrontMatter, isMapping, parseMarkdown } from "../../src/documents/documents.js";
import type { BundleFiles } from "../../src/knowledge/bundle/bundle-reader.js";

const STATES: readonly unknown[] = ["draft", "stable", "deprecated"];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const DAY_HEADING = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** What OKF v0.2 has to say against the Markdown files of a bundle: its conformance (11), and what families of fields must have (5, 10). */
export function findOkfFaults(files: BundleFiles): readonly string[] {
	return [...files]
		.filter(([path]) => path.endsWith(".md"))
		.flatMap(([path, bytes]) => {
			const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
			const name = path.split("/").at(-1);
			const faults =
				name === "index.md"
					? indexFaults(path, text)
					: name === "log.md"
						? logFaults(text)
						: conceptFaults(text);
			return faults.map((fault) => `${path}: ${fault}`);
		});
}

function indexFaults(path: string, text: string): readonly string[] {
	const { data, body, problem } = parseMarkdown(text);
	const allowed = path === "index.md" ? ["okf_version"] : [];
	const others = Object.keys(data).filter((key) => !allowed.includes(key));
	return [
		...(problem === undefined ? [] : [problem]),
		...others.map((key) => `an index has no "${key}"`),
		...(/^#{1,6} \S/m.test(body) ? [] : ["no section"]),
		...body
			.split("\n")
			.filter((line) => /^[*-] /.test(line) && !/^[*-] \[.+\]\(\S+\)(?: - .+)?$/.test(line))
			.map((line) => `no entry: ${line}`),
	];
}

function logFaults(text: string): readonly string[] {
	const days = [...parseMarkdown(text).body.matchAll(/^## (.*)$/gm)].map(([, day = ""]) => day);
	const sorted = [...days].sort().reverse();
	return [
		...days.filter((day) => !DAY_HEADING.test(day)).map((day) => `no day: ${day}`),
		...(days.join() === sorted.join() ? [] : ["not the newest first"]),
	];
}

function conceptFaults(text: string): readonly string[] {
	const { data, body, problem } = parseMarkdown(text);
	if (problem !== undefined || !text.startsWith("---\n")) return [problem ?? "no front matter"];
	const { type, status, generated, sources, stale_after: staleAfter } = data;
	const verified = listIn(data["verified"]);
	const instants = [
		staleAfter,
		...listIn(generated).map(({ at }) => at),
		...verified.map(({ at }) => at),
		...listIn(sources).map((source) => source["last_modified"]),
		...[data, ...listIn(sources)].flatMap(({ usage_window: window }) =>
			listIn(window).flatMap(({ from, to }) => [from, to]),
		),
	].filter((instant) => instant !== undefined);
	return [
		...(typeof type === "string" && type.trim() !== "" ? [] : ["no type"]),
		...(status === undefined || STATES.includes(status) ? [] : [`status ${status}`]),
		...instants.filter((at) => !INSTANT.test(String(at))).map((at) => `no instant: ${at}`),
		...[...listIn(generated), ...verified].filter(({ by }) => !by).map(() => "by no actor"),
		...listIn(sources).flatMap(({ resource }) => (resource ? [] : ["a source without resource"])),
		...(type === "Attested Computation" ? computationFaults(data, body) : []),
	];
}

function computationFaults(data: FrontMatter, body: string): readonly string[] {
	const [, section = ""] = /^# Computation\n([\s\S]*?)(?=^# |(?![\s\S]))/m.exec(body) ?? [];
	const isInline = /^(?:```| {4}\S)/m.test(section);
	return [
		...(data["runtime"] ? [] : ["no runtime"]),
		...(isInline === (data["computation"] !== undefined) ? ["no computation, or two"] : []),
	];
}

/** A bare mapping is a list of one. */
function listIn(value: unknown): readonly FrontMatter[] {
	return (Array.isArray(value) ? value : [value]).filter(isMapping);
}
