/** One place of a text that reads otherwise. */
export interface TextEdit {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/** The text with all edits made; of two that overlap the first one counts. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
	let kept = "";
	let from = 0;
	for (const edit of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
		if (edit.from < from) continue;
		kept += text.slice(from, edit.from) + edit.text;
		from = edit.to;
	}
	return kept + text.slice(from);
}
