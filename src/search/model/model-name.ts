import { join, resolve } from "node:path";
import { invalidArgument } from "../../kernel/kernel.js";

/** The model an operator asks for. */
export type ModelName =
	| { readonly kind: "bundled" }
	| { readonly kind: "table" }
	| { readonly kind: "none" }
	| { readonly kind: "local"; readonly folder: string }
	| { readonly kind: "hub"; readonly id: string };

const HUB_ID = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/;

/** Reads `bundled`, `table`, `local:<folder>`, `hub:<owner>/<name>` or `none`. Throws INVALID_ARGUMENT. */
export function parseModelName(text: string): ModelName {
	if (text === "bundled" || text === "table" || text === "none") return { kind: text };
	const [, kind, rest = ""] = /^(local|hub):(.*)$/s.exec(text) ?? [];
	if (kind === "local" && rest.trim() !== "") return { kind, folder: resolve(rest) };
	if (kind === "hub") return { kind, id: parseHubId(rest) };
	const isBareId = HUB_ID.test(text) && !text.startsWith(".");
	const guess = isBareId ? ` Did you mean hub:${text}, or local:${text} for a folder?` : "";
	throw invalidArgument(
		`"${text}" is no model; use bundled, table, local:<folder>, hub:<owner>/<name> or none.${guess}`,
	);
}

/** An id as the hub writes it, `owner/name`. Throws INVALID_ARGUMENT. */
export function parseHubId(text: string): string {
	if (HUB_ID.test(text) && !text.includes("--") && !text.includes("..")) return text;
	throw invalidArgument(
		`"${text}" is no id of a model on the hub; write <owner>/<name>, e.g. Xenova/all-MiniLM-L6-v2.`,
	);
}

/** Where a fetched model is kept. The hub allows no "--" in ids, so that no two share a folder. */
export function hubFolder(modelsFolder: string, id: string): string {
	return join(modelsFolder, id.replace("/", "--"));
}
