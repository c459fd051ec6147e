/** What only the generator of a site understands: none of it may be served. `Vec<Text>` names a type, no component. */
export const TEMPLATES =
	/\{\{|\{%|<%|%%|^:::|^!!!|^\?\?\?|^===[!+]? +["']|--8<--|\{:|\{ ?[.#]\w|\[\[|^import |^export |(?<!\w)<[A-Z][a-z]+|:material-|\[!\w|\^block|<\/?(?:p|div|table|details|summary|kbd|a|br)\b/m;

/** What is written between fences and backticks is content. */
export function withoutCode(text: string): string {
	return text.replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1 {0,3}\2/gm, "").replace(/`[^`\n]*`/g, "");
}
