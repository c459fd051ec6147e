import { createHash } from "node:crypto";

/** HTML that is safe as it stands; text becomes part of it only through `html`. */
export class Html {
	readonly text: string;
	constructor(text: string) {
		this.text = text;
	}
}

type Part = string | Html | readonly Html[] | undefined;

/** Fills in text, escaped, and further HTML, as it is. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
	const filled = strings.map((string, index) => string + toText(parts[index]));
	return new Html(filled.join(""));
}

function toText(part: Part): string {
	if (part === undefined) return "";
	if (part instanceof Html) return part.text;
	if (typeof part !== "string") return part.map(({ text }) => text).join("");
	return part.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8884; }
td:last-child, th:last-child { text-align: right; padding-right: 0; }
label { display: block; font-weight: 600; margin-top: 1rem; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; margin: .25rem 0; }
input[type="checkbox"] { width: auto; }
button { font: inherit; padding: .5rem 1rem; margin: 1rem .5rem 0 0; cursor: pointer; }
.error { border-left: 4px solid #c00; padding-left: .75rem; }
.note { font-size: .9rem; opacity: .85; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

export interface Page {
	readonly body: string;
	/** Content-Security-Policy it is to be sent with: no script, one style, forms to here and where they lead alone. */
	readonly policy: string;
}

export function toPage(title: string, content: Html, formTargets: readonly string[] = []): Page {
	const { text: body } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
	const policy = [
		"default-src 'none'",
		`style-src 'sha256-${STYLE_HASH}'`,
		// Some browsers hold the redirects that follow a form to the same list.
		`form-action ${["'self'", ...formTargets].join(" ")}`,
		"base-uri 'none'",
		"frame-ancestors 'none'",
	].join("; ");
	return { body, policy };
}

/** As a source of a Content-Security-Policy: the address's origin, or its scheme where such a source cannot name it. */
export function toFormTarget(redirectUri: string): string {
	const { origin, protocol, hostname } = new URL(redirectUri);
	return origin === "null" || hostname.startsWith("[") ? protocol : origin;
}
