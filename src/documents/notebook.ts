import {
	type FrontMatter,
	isMapping,
	listOf,
	type MarkdownDocument,
	parseMarkdown,
	textOf,
} from "./front-matter.js";

/**
 * The text of a Jupyter notebook: its prose, and its code as such, without what the code printed. Its first cell may be front
 * matter.
 */
export function readNotebook(text: string): MarkdownDocument | undefined {
	const notebook = parse(text);
	if (!isMapping(notebook) || !Array.isArray(notebook["cells"])) return undefined;
	const metadata = isMapping(notebook["metadata"]) ? notebook["metadata"] : {};
	const about = isMapping(metadata["language_info"]) ? metadata["language_info"] : {};
	const language = (textOf(about["name"]) ?? "python").replace(/[^\w+#-]/g, "");
	const cells = notebook["cells"].filter(isMapping);
	const [head] = cells;
	const front =
		head && head["cell_type"] !== "code" ? parseMarkdown(sourceOf(head)) : parseMarkdown("");
	const isFront = front.problem !== undefined || Object.keys(front.data).length > 0;
	const parts = cells.flatMap((cell) => {
		const source = cell === head && isFront ? front.body : sourceOf(cell);
		if (source.trim() === "") return [];
		if (cell["cell_type"] === "markdown") return [source];
		return cell["cell_type"] === "code" ? [["```", language, "\n", source, "\n```"].join("")] : [];
	});
	return { ...front, body: parts.join("\n\n") };
}

function sourceOf(cell: FrontMatter): string {
	return listOf(cell["source"])
		.filter((line) => typeof line === "string")
		.join("");
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
