import { isMapping, listOf, textOf } from "./front-matter.js";

/** The text of a Jupyter notebook: its prose, and its code as such, without what the code printed. */
export function readNotebook(text: string): string | undefined {
	const notebook = parse(text);
	if (!isMapping(notebook) || !Array.isArray(notebook["cells"])) return undefined;
	const metadata = isMapping(notebook["metadata"]) ? notebook["metadata"] : {};
	const about = isMapping(metadata["language_info"]) ? metadata["language_info"] : {};
	const language = (textOf(about["name"]) ?? "python").replace(/[^\w+#-]/g, "");
	const parts = notebook["cells"].flatMap((cell: unknown) => {
		if (!isMapping(cell)) return [];
		const source = listOf(cell["source"])
			.filter((line) => typeof line === "string")
			.join("");
		if (source.trim() === "") return [];
		if (cell["cell_type"] === "markdown") return [source];
		return cell["cell_type"] === "code" ? [["```", language, "\n", source, "\n```"].join("")] : [];
	});
	return parts.join("\n\n");
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
